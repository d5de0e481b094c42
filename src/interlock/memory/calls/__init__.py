"""What a call names: arguments, programs, edits, places, services. Findings and changes are derived from these."""
