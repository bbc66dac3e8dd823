"""The code of a contributed handler: its rules."""
# stand-in: the sandbox's branch has the whole file

import ast
from collections.abc import Iterator

from viva.kit.errors import Fault

CODE_FIELD = "executable.code"


def handler_code_faults(code: str) -> Iterator[Fault]:
    """What is wrong with the code of a handler."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        yield Fault(CODE_FIELD, "INVALID_SYNTAX", f"{error}.")
