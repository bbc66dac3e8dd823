"""The demo: agents and exams to look at, so that a new hub is not empty."""

from viva.demo.filling import fill

__all__ = ["fill"]
