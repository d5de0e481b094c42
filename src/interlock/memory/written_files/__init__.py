"""Files that a run has written or downloaded, and what happens when something runs, follows or sends them."""
