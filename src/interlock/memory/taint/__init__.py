"""Taint: files, documents and tables that a run has put sensitive data into, and who gets to see them."""
