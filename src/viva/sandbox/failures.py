"""How a call in the sandbox failed, from the error that the worker reports."""

import re
from typing import TYPE_CHECKING

from viva.sandbox.model import FailureKind, SandboxFailure

if TYPE_CHECKING:
    from pydantic_monty import MontyCrashedError, MontyError, MontyRuntimeError

CODE_FILENAME = "<string>"  # what tracebacks call the code of others, because exec() runs it
MAX_FAILURE_CHARACTERS = 500
LINE_PATTERN = re.compile(r" \(<string>, line (\d+)\)$")
UNSUPPORTED = "The monty syntax parser does not yet support "
NO_HOST_PATTERN = re.compile(r"suspension limit|is not supported in this environment")

KIND_OF_ERROR: dict[type[BaseException], FailureKind] = {
    TimeoutError: "timeout",
    MemoryError: "memory",
    RecursionError: "recursion",
    PermissionError: "forbidden",
    ImportError: "forbidden",
    SyntaxError: "syntax",
}
# Instead of messages that name other numbers in each run.
MESSAGE_OF_KIND: dict[FailureKind, str] = {
    "timeout": "The code did not end in its time, so it was stopped.",
    "memory": "The code needed more memory than it may have, so it was stopped.",
    "recursion": "Functions of the code call each other too deep.",
    "output": "The code prints more than it may.",
}


class TooMuchPrinted(Exception):
    """The code printed more than it may."""


class PrintedText:
    """Collects what the code prints, up to a limit."""

    def __init__(self, max_characters: int) -> None:
        self.text = ""
        self.is_full = False
        self._max_characters = max_characters

    def __call__(self, stream: str, text: str) -> None:
        room = self._max_characters - len(self.text)
        self.text += replace_null(text[:room])
        if len(text) > room:
            self.is_full = True
            raise TooMuchPrinted()


def failure_of(error: "MontyError", printed: PrintedText) -> SandboxFailure:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError  # imported late, as in pools

    if printed.is_full:
        return SandboxFailure("output", MESSAGE_OF_KIND["output"])
    if isinstance(error, MontyCrashedError):
        return failure_of_crash(error)
    if isinstance(error, MontySyntaxError):
        return failure_of_syntax(error.display("msg"))
    if isinstance(error, MontyRuntimeError):
        return failure_of_code(error)
    return SandboxFailure("value", shorten(str(error)))


def failure_of_crash(error: "MontyCrashedError") -> SandboxFailure:
    if error.timed_out:
        return SandboxFailure("timeout", MESSAGE_OF_KIND["timeout"])
    return SandboxFailure("crashed", "The process that ran the code died.")


def failure_of_syntax(message: str) -> SandboxFailure:
    line = LINE_PATTERN.search(message)
    text = LINE_PATTERN.sub("", message)
    return SandboxFailure("syntax", shorten(f"{text[:1].upper()}{text[1:]}."), int(line[1]) if line else None)


def failure_of_code(error: "MontyRuntimeError") -> SandboxFailure:
    message, cause = error.display("msg"), error.exception()
    last_frame = error.traceback()[-1] if error.traceback() else None
    is_in_code = last_frame is not None and last_frame.filename == CODE_FILENAME
    line = last_frame.line if is_in_code and last_frame else None
    if message.startswith(UNSUPPORTED):
        return SandboxFailure("syntax", f"The sandbox does not support {message.removeprefix(UNSUPPORTED)}.", line)
    kind = next((kind for type_, kind in KIND_OF_ERROR.items() if isinstance(cause, type_)), None)
    if kind is None and NO_HOST_PATTERN.search(message):
        kind = "forbidden"
    if kind is None:
        kind = "exception" if is_in_code else "value"  # else our script could not make JSON of the value
    return SandboxFailure(kind, MESSAGE_OF_KIND.get(kind) or shorten(error.display("type-msg")), line)


def shorten(text: str) -> str:
    return replace_null(text if len(text) <= MAX_FAILURE_CHARACTERS else text[: MAX_FAILURE_CHARACTERS - 1] + "…")


def replace_null(text: str) -> str:
    """The text without null characters, which PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
