"""The HTTP API, in JSON. Each route parses the request, calls a flow and shapes the answer."""
