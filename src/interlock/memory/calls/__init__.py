"""What a call refers to: arguments, programs, edits, places, services. Findings and changes are derived from these."""
