"""The one table of what an agent may call: MCP, HTTP and whatever comes later render it."""
