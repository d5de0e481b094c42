"""Tool calls: what a tool does by its name and description, and what it is given."""
