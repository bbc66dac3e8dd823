"""Calls of tools: what was declared, what was asked for, where the values come from, and what became of them."""
