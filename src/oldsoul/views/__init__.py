"""What faces show, as plain data: each value once, with the same keys on the command line, over HTTP and over MCP."""
