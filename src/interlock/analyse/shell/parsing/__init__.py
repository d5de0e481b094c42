"""Parsing of shell text, and what is read of text that does not parse."""
