"""Static analysis: an action in, its effects out. Each language has an analyser; all of them fill one `Reading`."""
