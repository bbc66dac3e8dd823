"""Uploaded runs, as stored."""
