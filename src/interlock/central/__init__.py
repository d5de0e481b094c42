"""Policies from one place: a server issues signed bundles, and other machines pull them."""
