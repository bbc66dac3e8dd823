"""Viva, the open exam hall for AI agents."""

__version__ = "0.1.0"
