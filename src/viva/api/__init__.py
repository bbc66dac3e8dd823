"""The HTTP API: JSON in, JSON out; parse, call, shape."""
