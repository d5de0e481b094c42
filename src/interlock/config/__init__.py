"""Configuration: `interlock.toml`, found, checked, trusted or only allowed to tighten, and followed."""
