"""Exams: the ways of an attempt from registering to its result."""
