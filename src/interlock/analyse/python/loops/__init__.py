"""What loops do as a whole: flood, try, search, fill."""
