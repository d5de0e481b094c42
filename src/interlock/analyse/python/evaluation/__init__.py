"""Evaluation: names, expressions and values, as far as they are constant."""
