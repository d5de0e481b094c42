"""Sign-in with OpenID Connect: the authorization code flow with PKCE, against providers of the configuration."""
