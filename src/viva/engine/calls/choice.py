"""Which of the declared tools a request speaks of, against those that were called."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.engine.calls.asked import Request
from viva.engine.calls.contracts import contract
from viva.engine.calls.made import telling
from viva.engine.model import Tool

MAX_TOOLS_COMPARED = 64  # tools that are compared; nobody chooses among more by reading them all
MAX_DESCRIPTION_CHARACTERS = 1_000  # characters of a description
FAINT = 0.15  # likeness that any two texts about the same business have


class ToolChoice(NamedTuple):
    """The tool not called that is most like the request, how like it is, and how much more than a called one."""

    best: str
    alike: float
    closer: float
    named: list[str]
    foreign: list[str]  # tools called that share no word with the request


def choice(request: Request, tools: Sequence[Tool], called: set[str]) -> ToolChoice:
    mine = [tool for tool in tools if tool.name in called]
    shared = frozenset().union(
        *(telling(tool.name) | telling((tool.description or "")[:MAX_DESCRIPTION_CHARACTERS]) for tool in mine)
    )
    others = {
        tool.name: likeness(request, tool, shared) for tool in tools[:MAX_TOOLS_COMPARED] if tool.name not in called
    }
    best = max(others, key=lambda name: others[name], default="")
    alike = others.get(best, 0.0)
    least = min((likeness(request, tool) for tool in mine), default=0.0)
    named = [name for name in others if len(name) > 5 and name.lower() in request.lowered]
    return ToolChoice(
        best,
        max(0.0, alike - FAINT),
        max(0.0, alike - least),
        named,
        [tool.name for tool in mine if is_foreign(request, tool)],
    )


def likeness(request: Request, tool: Tool, shared: frozenset[str] = frozenset()) -> float:
    """How much of a tool's name and description the request speaks of, 0 to 1; `shared` words tell nothing."""
    name, described = (
        telling(tool.name) - shared,
        telling((tool.description or "")[:MAX_DESCRIPTION_CHARACTERS]) - shared,
    )
    return (share(name, request.stems) + share(described, request.stems)) / 2


def is_foreign(request: Request, tool: Tool) -> bool:
    schema = tool.parameters_schema
    words = " ".join(contract(schema).properties) if schema else ""
    return not telling(f"{tool.name} {(tool.description or '')[:MAX_DESCRIPTION_CHARACTERS]} {words}") & request.stems


def share(words: frozenset[str], among: frozenset[str]) -> float:
    return len(words & among) / len(words) if words else 0.0
