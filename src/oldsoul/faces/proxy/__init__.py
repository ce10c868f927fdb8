"""The proxy: OpenAI's API in front of the agents, so that any client has their memory by changing its base URL."""
