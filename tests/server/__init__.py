"""The server, run for real and asked over a socket."""
