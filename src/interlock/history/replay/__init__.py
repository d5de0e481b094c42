"""Past actions decided again: with another configuration, other policies, other knowledge, or another version."""
