"""Agents: the accounts of programs and people, and their keys."""
