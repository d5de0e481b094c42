"""The MCP gateway: between any MCP client and any MCP server, with every call of a tool decided first."""

#: The variable that holds the token of clients over HTTP. It is not passed on to servers.
TOKEN = "INTERLOCK_MCP_TOKEN"  # noqa: S105 - the name of a variable
