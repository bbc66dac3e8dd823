"""A client for a hub over HTTP."""
