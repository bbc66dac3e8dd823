"""Benchmarks: each figure is printed beside its reference, which is measured in the same run."""
