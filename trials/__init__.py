"""Real coding agents, with a model that does as it is told."""
