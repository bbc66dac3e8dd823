"""Agents that match a filter text, by their id, by their name, or by a part of it."""

from typing import NamedTuple

from viva.agents import listing, store
from viva.agents.model import name_key
from viva.kit.db import Connection

MAX_MATCHING_AGENTS = 100  # in the filter of one list


class MatchingAgents(NamedTuple):
    """Names by id. `is_cut` says that further agents may match."""

    names: dict[str, str]
    is_cut: bool = False


def find_matching(db: Connection, text: str) -> MatchingAgents:
    """The agent with this id or name, else the agents whose names contain the text, ignoring case."""
    known = store.names_by_id_or_name(db, text, name_key(text))
    if known or not name_key(text):
        return MatchingAgents(known)
    first = listing.list_by_prefix(db, text, MAX_MATCHING_AGENTS, None)
    agents = [*first.items, *listing.list_by_substring(db, text, MAX_MATCHING_AGENTS + 1 - len(first.items))]
    is_cut = (
        first.next_cursor is not None
        or len(agents) > MAX_MATCHING_AGENTS
        or listing.count(db, listing.MAX_AGENTS_SEARCHED + 1) > listing.MAX_AGENTS_SEARCHED
    )
    return MatchingAgents({agent.id: agent.name for agent in agents[:MAX_MATCHING_AGENTS]}, is_cut)
