"""A gate whose decisions, approvals, runs and records are at an Interlock server."""
