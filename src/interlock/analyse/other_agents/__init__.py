"""Other agents: prompts that an action gives them, and files with their instructions."""
