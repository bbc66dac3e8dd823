"""Checking: recounts a hub's sums, verifies its chains and signatures, and verifies files that a hub has signed."""
