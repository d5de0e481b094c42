"""The settings files of coding agents: install a hook, uninstall it to the byte, check it, prove it."""
