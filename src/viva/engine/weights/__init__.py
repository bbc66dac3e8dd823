"""Weights learned from data, as small JSON tables; each says what it was made from."""
