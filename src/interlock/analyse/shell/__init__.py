"""Static analysis of shell text: parsing, word expansion, redirections, control flow and calls of programs."""
