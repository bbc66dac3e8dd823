"""The demo: sample agents and exams, so that a new hub is not empty."""

from viva.demo.filling import fill

__all__ = ["fill"]
