"""A Claude Code channel: people answer Claude Code's permission prompts wherever they answer Interlock's requests."""
