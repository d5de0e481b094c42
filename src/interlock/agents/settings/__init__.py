"""The settings of coding agents: where a hook is entered, and how it is taken out again, to the byte."""
