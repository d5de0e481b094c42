"""The expansion of words: variables, substitutions, patterns, arithmetic."""
