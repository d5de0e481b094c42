"""What calls left behind that needs a question when it is used: settings, identities, aliases, copies."""
