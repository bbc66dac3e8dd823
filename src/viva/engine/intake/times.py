"""Durations between recorded times."""

from collections.abc import Iterable

from viva.engine.intake.span import nanoseconds

NANOSECONDS_PER_MILLISECOND = 1_000_000


def elapsed_ms(start: object, end: object) -> float | None:
    """The milliseconds from one time to another; None if one is missing or they are reversed."""
    began, ended = nanoseconds(start), nanoseconds(end)
    return (ended - began) / NANOSECONDS_PER_MILLISECOND if began and ended >= began else None


def overall_ms(times: Iterable[object]) -> float | None:
    """The milliseconds from the earliest time to the latest; None if fewer than two are known."""
    known = [at for time in times if (at := nanoseconds(time))]
    return (max(known) - min(known)) / NANOSECONDS_PER_MILLISECOND if len(known) > 1 else None
