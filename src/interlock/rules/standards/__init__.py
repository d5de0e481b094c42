"""The ids of rules in OWASP Agentic, MITRE ATLAS and MITRE ATT&CK: these lists, and one table of rules."""
