"""What the record teaches: suggestions, what agents use, what was not understood, weekly reports, drift."""
