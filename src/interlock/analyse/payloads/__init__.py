"""What an agent hands to a tool, and who reads it."""
