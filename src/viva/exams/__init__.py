"""Exams: the flows that take an attempt from its registration to its result."""
