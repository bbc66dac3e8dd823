"""Agents that a text names in a filter of another list: by their id, or by a part of their name."""

from typing import NamedTuple

from viva.agents import listing, store
from viva.agents.model import name_key
from viva.kit.db import Connection

MAX_MATCHING_AGENTS = 100  # whose results one list looks for


class MatchingAgents(NamedTuple):
    """Names by ids; `is_cut` where other agents may match as well."""

    names: dict[str, str]
    is_cut: bool = False


def find_matching(db: Connection, text: str) -> MatchingAgents:
    """The agent with this id, or the agents whose names have the text in them, in any case; deleted ones have no name."""
    with_id = store.names(db, [text])
    if with_id or not name_key(text):
        return MatchingAgents(with_id)
    first = listing.starting(db, text, MAX_MATCHING_AGENTS, None)
    found = [*first.items, *listing.containing(db, text, MAX_MATCHING_AGENTS + 1 - len(first.items))]
    is_cut = (
        first.next_cursor is not None
        or len(found) > MAX_MATCHING_AGENTS
        or listing.count(db, listing.MAX_AGENTS_SEARCHED + 1) > listing.MAX_AGENTS_SEARCHED
    )
    return MatchingAgents({agent.id: agent.name for agent in found[:MAX_MATCHING_AGENTS]}, is_cut)
