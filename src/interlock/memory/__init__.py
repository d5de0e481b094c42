"""The memory of a run: what its earlier actions did, as a value that goes into a decision and comes out of it."""
