"""The declarations of commands: their options and help texts."""
