"""Files that commands copy, make or reach, and what is in them."""
