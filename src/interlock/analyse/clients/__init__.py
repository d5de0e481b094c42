"""Clients of services and stores in any language: their words, where they lead, and what calls of them do."""
