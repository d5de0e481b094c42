"""Configuration: find, check, trust and reload `interlock.toml`."""
