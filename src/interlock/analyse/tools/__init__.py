"""Tool calls: the effects of a tool by its name, description and arguments."""
