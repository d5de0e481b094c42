"""From findings to an assessment: score tables, factors and their combination; and `RiskAssessor` for dicts."""
