"""Review by a model: it is asked over HTTP, sees the action as fenced data, and every failure escalates."""
