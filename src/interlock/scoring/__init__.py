"""FINDINGS → ASSESSMENT: the tables, the factors, the blend; and `RiskAssessor` for dicts."""
