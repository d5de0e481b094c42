"""Tests of the server, run for real and called over a socket."""
