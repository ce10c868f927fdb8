"""The MCP server: memory as tools, files as resources, for agents that run elsewhere."""
