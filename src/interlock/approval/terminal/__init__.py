"""The prompt at the terminal."""
