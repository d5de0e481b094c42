"""Configuration: finding, checking, trusting and following `interlock.toml`."""
