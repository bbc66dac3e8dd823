"""Contributions: proposed evaluations, from the first draft to the live page."""
