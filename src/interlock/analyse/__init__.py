"""ACTION → EFFECTS: parse, never grep. Each language has its analyser; all of them fill one `Reading`."""
