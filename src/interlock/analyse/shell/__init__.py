"""The shell, read through its grammar: words, redirections, calls, statements."""
