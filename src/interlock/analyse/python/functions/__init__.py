"""Functions and classes of the text: definitions, calls, and summaries of their bodies."""
