"""Soak: servers under mixed load and faults for an hour, with nothing lost and nothing growing. Run `make soak`."""
