"""What a call names: arguments, programs, edits, places, services. The findings and the changes are told from these."""
