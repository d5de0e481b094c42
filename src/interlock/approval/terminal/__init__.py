"""The prompt at the terminal: what is asked, shown and read."""
