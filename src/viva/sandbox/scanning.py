"""Scans code without running it: syntax, imports, names that reach around the sandbox, hidden characters, size."""

import ast
import unicodedata
from collections.abc import Iterator

from viva.kit.errors import Fault
from viva.sandbox.model import SandboxFailure, SandboxLimits
from viva.sandbox.running import run_script

MAX_CODE_BYTES = 64 * 1024  # a hundred times a typical function; more cannot be reviewed
MAX_CODE_FAULTS = 50
# What the sandbox has of the standard library, without files, clocks and tasks.
ALLOWED_MODULES = (
    "base64",
    "bisect",
    "collections",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "random",
    "re",
    "typing",
    "unicodedata",
)
# The sandbox contains them anyway. Code that needs them hides something from its reader.
REFUSED_NAMES = frozenset(
    """
    breakpoint compile delattr dir eval exec exit getattr globals help input locals memoryview open quit setattr vars
    """.split()
)
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # of Unicode: controls, formats, surrogates, separators
# The first line ends the run, so the rest is parsed by the sandbox and not run.
PARSE_SCRIPT = "exec(\"raise StopIteration('parsed')\\n\" + source)"
PARSE_LIMITS = SandboxLimits(
    cpu_seconds=1, wall_seconds=5, memory_bytes=64 * 2**20, printed_characters=0, value_bytes=0
)
ADDED_LINES = 1


def scan(code: str) -> list[Fault]:
    """What is wrong with the code, by line. The field of each fault is `line N`, or `code` for the whole."""
    if len(code.encode(errors="replace")) > MAX_CODE_BYTES:
        return [Fault("code", "CODE_TOO_LONG", f"The code is longer than {MAX_CODE_BYTES // 1024} KiB.")]
    hidden = list(hidden_character_faults(code))
    if hidden:
        return hidden[:MAX_CODE_FAULTS]
    failure = parse_in_sandbox(code)
    if failure:  # also code that is nested too deep for a parser in this process
        return [syntax_fault(failure)]
    try:
        tree = ast.parse(code)
    except SyntaxError as error:  # the sandbox knows newer syntax than this Python
        return [make_fault(error.lineno or 1, "INVALID_SYNTAX", f"{error.msg}.")]
    return [fault for node in ast.walk(tree) for fault in node_faults(node)][:MAX_CODE_FAULTS]


def hidden_character_faults(code: str) -> Iterator[Fault]:
    """Characters that make the code look other than it is, such as those that reverse the direction of text."""
    for number, line in enumerate(code.replace("\r\n", "\n").split("\n"), 1):
        hidden = next((one for one in line if one != "\t" and unicodedata.category(one) in HIDDEN_CATEGORIES), None)
        if hidden:
            name = unicodedata.name(hidden, f"U+{ord(hidden):04X}")
            yield make_fault(number, "HIDDEN_CHARACTER", f"There is a hidden character, {name}.")


def parse_in_sandbox(code: str) -> SandboxFailure | None:
    failure = run_script(PARSE_SCRIPT, {"source": code}, PARSE_LIMITS).failure
    return None if failure is None or failure.message == "StopIteration: parsed" else failure


def syntax_fault(failure: SandboxFailure) -> Fault:
    line = (failure.line or 1) - ADDED_LINES
    return make_fault(max(line, 1), "INVALID_SYNTAX", failure.message)


def node_faults(node: ast.AST) -> Iterator[Fault]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from import_faults(node.lineno, alias.name)
    elif isinstance(node, ast.ImportFrom):
        yield from import_faults(node.lineno, node.module or "")
    elif isinstance(node, ast.Attribute) and node.attr.startswith("__"):
        yield make_fault(node.lineno, "DUNDER_ACCESS", f"{node.attr} is an internal attribute.")
    elif isinstance(node, ast.Name) and (node.id.startswith("__") or node.id in REFUSED_NAMES):
        yield make_fault(node.lineno, "REFUSED_NAME", f"{node.id} is not allowed.")


def import_faults(line: int, module: str) -> Iterator[Fault]:
    if module not in ALLOWED_MODULES:
        message = f"{module} cannot be imported; there are {', '.join(ALLOWED_MODULES)}."
        yield make_fault(line, "REFUSED_IMPORT", message)


def make_fault(line: int, code: str, message: str) -> Fault:
    return Fault(f"line {line}", code, f"Line {line}: {message}")


def list_functions(code: str) -> dict[str, int]:
    """The functions that scanned code defines, with the number of their parameters."""
    functions = (node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef))
    return {function.name: len(function.args.posonlyargs + function.args.args) for function in functions}
