"""Secrets, private data and untrusted content: what a run has read, what names reveal, and how data could leave."""
