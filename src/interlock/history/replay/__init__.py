"""Replays: past actions are decided again with another configuration, policies, knowledge or version."""
