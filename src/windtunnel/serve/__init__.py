"""The faces for agents and programs elsewhere: MCP and HTTP over the one table of tools."""
