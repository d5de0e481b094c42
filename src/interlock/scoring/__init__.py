"""From findings to an assessment: tables, factors and their combination; and `RiskAssessor` for dicts."""
