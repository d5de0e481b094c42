"""Reports from the record: suggestions, usage, coverage, weekly reports, drift."""
