"""Evidence for auditors: the records of a period, packed into files that can be verified without the store."""
