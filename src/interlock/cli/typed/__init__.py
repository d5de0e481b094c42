"""What may be typed about what was asked and recorded: the commands, their options and their help."""
