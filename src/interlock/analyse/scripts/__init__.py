"""Script languages inside a command: Perl, Ruby, JavaScript, PHP, Lua, awk, sed, batch filesand makefiles."""
