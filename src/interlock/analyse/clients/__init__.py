"""Clients of services and stores in any language: their vocabulary, their targets, and the effects of their calls."""
