"""Concerns: settings, identities, aliases and copies that calls left behind, and whose use needs approval."""
