"""What a call in the sandbox may use, and how it ended."""

from typing import Any, Literal, NamedTuple

from viva.kit.errors import Unavailable

FailureKind = Literal[
    "syntax",  # the code cannot be parsed
    "missing",  # the code does not define the function
    "timeout",
    "memory",
    "recursion",
    "output",  # too much was printed or returned
    "forbidden",  # files, the environment, or a module that the sandbox does not have
    "value",  # the argument or the returned value is not plain data
    "exception",  # any other error of the code
    "crashed",  # the worker process died; the code is not known to be the cause
]


class SandboxUnavailable(Unavailable):
    """The sandbox is busy or cannot start; try again later."""


class SandboxMissing(SandboxUnavailable):
    """Contributed code needs a package that is not installed: install it with `pip install "viva[sandbox]"`."""


class SandboxLimits(NamedTuple):
    """The limits of one call. `wall_seconds` includes waiting for the processor; the worker is killed then."""

    cpu_seconds: float
    wall_seconds: float
    memory_bytes: int
    printed_characters: int
    value_bytes: int  # of the returned value as JSON
    recursion_depth: int = 200  # deep enough for data nested as JSON allows, far from the end of the stack


class SandboxFailure(NamedTuple):
    """Why a call gave no value. `line` is a line of the code, if the failure has one."""

    kind: FailureKind
    message: str
    line: int | None = None


class SandboxResult(NamedTuple):
    """The returned value, or the failure; and what was printed before."""

    value: Any
    failure: SandboxFailure | None
    printed: str = ""
