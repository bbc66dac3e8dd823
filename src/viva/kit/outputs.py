"""The output of a command: the file of -o in the format of its ending, or standard output."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from viva.kit.errors import Invalid, VivaError
from viva.kit.files import open_whole

AnyFormat = TypeVar("AnyFormat", bound=str)


class BadOutput(Invalid):
    """The file cannot be written there, or not in a known format."""


class NotWritten(VivaError):
    """The file cannot be written."""


def check_output(out: Path | None) -> None:
    """Report now what would fail only after all the work."""
    if out is not None and not out.parent.is_dir():
        raise BadOutput(f"There is no folder {out.parent} to write to.")
    if out is not None and out.is_dir():
        raise BadOutput(f"{out} is a folder.")


def format_by_ending(out: Path | None, endings: Mapping[str, AnyFormat], on_screen: AnyFormat) -> AnyFormat:
    """The format for the ending of the file, or `on_screen` without a file."""
    if out is None:
        return on_screen
    if out.suffix.lower() not in endings:
        raise BadOutput(f"Which format? {out.name} does not end in one of {', '.join(endings)}; or give --format.")
    return endings[out.suffix.lower()]


@contextmanager
def open_output(out: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, a pipe or device, or a file that appears under its name only once it is complete."""
    with refuse_unwritable(out):
        if out is None:
            yield sys.stdout.buffer
            sys.stdout.flush()
        elif out.exists() and not out.is_file():
            with out.open("wb") as device:
                yield device
        else:
            with open_whole(out.resolve()) as file:
                yield file


@contextmanager
def refuse_unwritable(out: Path | None) -> Iterator[None]:
    """Turn a failure of the disk or device into a NotWritten. A closed pipe is not a failure."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(f"{out or 'Standard output'} cannot be written: {error.strerror}.") from error
