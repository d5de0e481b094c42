"""Script languages inside a command: Perl, Ruby, JavaScript, PHP, Lua, awk, sed, batch files, makefiles and others."""
