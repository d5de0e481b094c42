"""The MCP gateway: between any MCP client and any MCP server, with every call of a tool decided first."""
