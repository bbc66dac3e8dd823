"""Tells calls by which an agent gives the work to another agent of the run, as "transfer_to_booker"."""

from collections.abc import Iterable

from viva.engine.calls.actions import leaves, name_words
from viva.engine.model import ToolCall, TraceAgent

GIVING_WORDS = frozenset("hand handoff handover transfer delegate assign route escalate".split())
# Beside these, the name of a handover has only the name of an agent: "transfer_funds" is none.
WORDS_BESIDE = frozenset("off over back to the an agent agents coworker work task control conversation chat".split())
MAX_NAME_CHARACTERS = 200


def hands_over(call: ToolCall, agents: Iterable[TraceAgent]) -> bool:
    """Whether the name of a call says so, and the name or an argument is that of an agent of the run."""
    name = name_words(call.tool_name)
    if GIVING_WORDS.isdisjoint(name):
        return False
    known = {name_words(text) for agent in agents for text in (agent.id, agent.name or "")} - {()}
    if "to" in name and name[name.index("to") + 1 :] in known:
        return True
    return GIVING_WORDS.union(WORDS_BESIDE).issuperset(name) and any(
        name_words(leaf) in known for leaf in leaves(call.parameters) if len(leaf) <= MAX_NAME_CHARACTERS
    )
