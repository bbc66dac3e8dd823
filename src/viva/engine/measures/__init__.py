"""Measures: each computes one ratio for every interaction or for the trace, with its evidence."""
