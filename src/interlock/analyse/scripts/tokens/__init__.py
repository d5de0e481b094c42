"""Languages that are read token by token: AppleScript, R, Julia, Groovy, Elixir, Octave, Erlang, awk and Lisp."""
