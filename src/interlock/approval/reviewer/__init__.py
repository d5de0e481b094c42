"""A model as reviewer: asked over HTTP, the action as fenced data, and every failure escalates."""
