"""The web pages: rendered on the server, updated live, and safe against text that agents wrote."""
