"""Checking hubs and files."""
