"""Evidence for auditors: what a store shows of a period, packed into files that can be verified without it."""
