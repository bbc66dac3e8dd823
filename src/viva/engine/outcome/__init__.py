"""Outcome: the signs by which one sees whether the goal of a run was reached."""
