"""The pages: rendered here, alive through the feed, and never a place where an agent's words are obeyed."""
