"""Training: scripts that make the weights which the engine ships, each from data whose licence permits it."""
