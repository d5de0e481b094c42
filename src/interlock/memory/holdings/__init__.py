"""Files, documents and tables into which a run has put something that is not for everyone, and who gets them."""
