"""The generated files of the client: the structs of the API, its operations, and the list of their groups."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from litestar import Litestar
from msgspec import inspect as types

import viva
from generating.operations import ClientOperation
from generating.types import struct_source, structs_in
from viva.api.openapi import operations_of
from viva.app import API

ROOT = Path(__file__).parent.parent
FOLDER = Path(viva.__file__).parent / "client"
MADE_BY = "Made by `make client` from the routes of the API; do not edit."
# Names that the generated files use, and where they come from.
IMPORTS = {
    "datetime": ("datetime", ("datetime",)),
    "typing": ("typing", ("Any", "Generic", "Literal")),
    "msgspec": ("msgspec", ("UNSET", "Struct", "UnsetType", "field")),
    "calls": (
        "viva.client.calls",
        ("Call", "PagedCall", "StreamCall", "given_fields", "given_headers", "in_path"),
    ),
    "describing": (
        "viva.client.describing",
        ("OperationGroup", "RunnerType", "list_operation", "operation", "stream_operation"),
    ),
    "events": ("viva.client.events", ("AnalysisEvent", "read_message", "read_progress")),
}


def client_files() -> dict[Path, str]:
    """The text of each generated file."""
    operations = list_operations()
    structs = {
        struct.cls.__name__: struct for each in operations for kind in each.structs for struct in structs_in(kind)
    }
    groups = {tag: list(group) for tag, group in groupby(operations, key=tag_of)}
    files = {FOLDER / "structs.py": structs_file(structs.values())}
    for tag, group in groups.items():
        files[FOLDER / "operations" / f"{tag}.py"] = operations_file(tag, group, set(structs))
    files[FOLDER / "groups.py"] = groups_file(groups)
    return format_sources(files)


def list_operations() -> list[ClientOperation]:
    """Every operation below /api/v1, as its file has them, each function once: one has a second, older address."""
    app = Litestar(route_handlers=[API], openapi_config=None, logging_config=None)
    found = {operation.spec.function: operation for operation in sorted(operations_of(app), key=lambda each: each.path)}
    return sorted((ClientOperation(operation) for operation in found.values()), key=place_of)


def place_of(operation: ClientOperation) -> tuple[str, int]:
    return operation.spec.tag, operation.spec.function.__code__.co_firstlineno


def tag_of(operation: ClientOperation) -> str:
    return operation.spec.tag


def class_name(tag: str) -> str:
    return "".join(word.title() for word in tag.split("_")) + "Operations"


def structs_file(structs: Iterable[types.StructType]) -> str:
    body = "\n\n\n".join(struct_source(struct) for struct in structs)
    return with_imports("What the API takes and answers, under its own names.", body, set())


def operations_file(tag: str, operations: list[ClientOperation], structs: set[str]) -> str:
    first = sys.modules[operations[0].spec.function.__module__].__doc__ or ""
    purpose = first.partition("\n")[0]
    body = f'class {class_name(tag)}(OperationGroup[RunnerType]):\n    """{purpose}"""\n'
    return with_imports(purpose, body + "".join(operation.source for operation in operations), structs)


def groups_file(groups: Iterable[str]) -> str:
    imports = "\n".join(f"from viva.client.operations.{tag} import {class_name(tag)}" for tag in groups)
    lines = "\n".join(f"        self.{tag} = {class_name(tag)}(runner)" for tag in groups)
    body = f"""{imports}


class ApiGroups(OperationGroup[RunnerType]):
    \"\"\"Every part of the API, as attributes.\"\"\"

    def __init__(self, runner: RunnerType) -> None:
        super().__init__(runner)
{lines}
"""
    return with_imports("Every part of the API, as attributes of a client.", body, set())


def with_imports(purpose: str, body: str, structs: set[str]) -> str:
    """The file with the imports that its body needs."""
    code = re.sub(r'""".*?"""', "", body, flags=re.DOTALL)
    words = set(re.findall(r"\w+", code))
    sources = [*IMPORTS.values(), ("viva.client.structs", tuple(sorted(structs)))]
    lines = []
    for module, names in sources:
        used = [name for name in names if name in words]
        if used:
            lines.append(f"from {module} import {', '.join(used)}")
    return f'"""{purpose}\n\n{MADE_BY}\n"""\n\n' + "\n".join(lines) + f"\n\n\n{body}\n"


def format_sources(texts: dict[Path, str]) -> dict[Path, str]:
    """The texts as `make fix` would leave them."""
    with tempfile.TemporaryDirectory() as folder:
        drafts = {path: Path(folder) / f"{number}.py" for number, path in enumerate(texts)}
        for path, draft in drafts.items():
            draft.write_text(texts[path])
        for command in (["check", "--fix", "--exit-zero"], ["format"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--quiet", "--config", "pyproject.toml", folder]
            subprocess.run(ruff, cwd=ROOT, check=True)
        return {path: draft.read_text() for path, draft in drafts.items()}
