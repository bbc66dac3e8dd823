"""Handlers: one file for each, named by SIPs, that gives an attempt its challenge and decides what was handed in."""
