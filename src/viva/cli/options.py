"""What commands share: their common options, and how they print their answers."""

import os
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DatabaseOption = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="sqlite:///FILE or postgresql://…")
]
# Arguments are hidden because Typer would list them with Python types. The help text of each command explains them.


def print_answer(data: object, as_json: bool, sentence: str) -> None:
    """Print the answer of a command: JSON for a program, a sentence for a person."""
    import json

    typer.echo(json.dumps(data, ensure_ascii=False) if as_json else sentence)


def printable(text: str) -> str:
    """Text from outside, without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def use(**settings: object) -> None:
    """Set options as settings, for this process and its child processes."""
    os.environ.update({name: str(value) for name, value in settings.items() if value is not None})
