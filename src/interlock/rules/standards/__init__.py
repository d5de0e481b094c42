"""What rules are called elsewhere: OWASP Agentic, MITRE ATLAS and MITRE ATT&CK, as lists and one table of rules."""
