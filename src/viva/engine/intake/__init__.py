"""Reads traces from files and from the formats of recorded runs."""
