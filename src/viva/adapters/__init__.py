"""Agents behind an endpoint, a program, an address or a function: each is asked for the next message of a conversation."""
