"""What is wrong with a trace: every fault with its path."""

from collections.abc import Sized
from typing import NoReturn

from viva.kit.errors import Fault, Invalid

MAX_FAULTS_LISTED = 100  # a person reads no more; the rest is only counted
ROOT = "trace"  # the path of a fault that concerns the whole trace


class BadTrace(Invalid):
    """This is not a trace that can be read."""

    title = "Unreadable trace"


class Faults:
    """Collects faults; beyond MAX_FAULTS_LISTED it only counts them."""

    def __init__(self) -> None:
        self.listed: list[Fault] = []
        self.more = 0

    def add(self, path: str, code: str, message: str) -> None:
        if len(self.listed) < MAX_FAULTS_LISTED:
            self.listed.append(Fault(path or ROOT, code, message))
        else:
            self.more += 1

    def __len__(self) -> int:
        return len(self.listed) + self.more

    def raise_any(self) -> None:
        """Raise BadTrace if there is a fault."""
        if self.listed:
            raise bad_trace(self.listed, self.more)


def bad_trace(faults: list[Fault], more: int = 0, where: str = "") -> BadTrace:
    """An error with these faults. Its message has the first fault and the number of the others."""
    if more:
        faults = [*faults, Fault(ROOT, "more", f"{more} more faults are not listed")]
    rest = len(faults) - 1 - bool(more) + more
    line = f"{faults[0].field}: {faults[0].message}"
    tail = f" (and {rest} more)" if rest else ""
    return BadTrace(f"{where}: {line}{tail}" if where else line + tail, faults=tuple(faults))


def with_location(where: str, error: BadTrace) -> BadTrace:
    """The same error. Its message begins with the file and the line."""
    return BadTrace(f"{where}: {error}", faults=error.faults)


def refuse(path: str, code: str, message: str) -> NoReturn:
    """Raise BadTrace for one fault."""
    raise bad_trace([Fault(path or ROOT, code, message)])


def check_count(parts: Sized, limit: int, noun: str, path: str = "") -> None:
    """Refuse a document that has more parts of a kind than are read."""
    if len(parts) > limit:
        refuse(path, "too_many", f"has {len(parts):,} {noun}; at most {limit:,} are read")
