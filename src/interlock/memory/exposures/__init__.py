"""Secrets, private data and untrusted content: what a run has read, what names tell, and how it could leave."""
