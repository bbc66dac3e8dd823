"""What agents do at a hub, for the protocols that models and other agents speak: MCP and A2A."""
