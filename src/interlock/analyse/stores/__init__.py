"""Data stores: their query languages, their HTTP interfaces, and data that is scratch."""
