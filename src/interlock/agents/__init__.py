"""Coding agents and frameworks: how each says what it is about to do, and how it is answered."""
