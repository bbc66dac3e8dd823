"""Benchmarks: each figure is printed beside what it is compared with, measured in the same run."""
