"""The ways in: command line, HTTP, MCP; each parses, calls one verb, formats."""
