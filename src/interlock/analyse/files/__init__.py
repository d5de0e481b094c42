"""Files: where paths lead, what their names mean, and what the content of certain files makes programs do."""
