"""Programs in compiled languages: their tokens are brought into the form that scripts have, and read like scripts."""
