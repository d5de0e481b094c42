"""The memory of a run: what its earlier actions did, as a value that is passed to a decision and returned by it."""
