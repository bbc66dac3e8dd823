"""Detectors: each asks one question about every turn, and answers with a probability and its evidence."""
