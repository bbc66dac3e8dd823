"""Tests of the reports on analyses, and of the command that makes them."""
