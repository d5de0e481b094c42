"""Files, documents and tables into which a run has put sensitive data, and who gets them."""
