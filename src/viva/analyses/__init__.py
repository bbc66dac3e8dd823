"""Analyses of traces and of hosted runs: requested, run in the background, stored and compared."""
