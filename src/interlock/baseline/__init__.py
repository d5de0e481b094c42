"""The baselines of agents for policies: their allowed and approved actions in previous days."""
