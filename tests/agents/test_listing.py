"""Lists of agents: each order, over all pages, and looking for a name."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests import make
from tests.results.taken import Counting, plans
from viva.agents import accounts, listing, ranking
from viva.agents.model import name_key
from viva.kit.db import Connection
from viva.kit.paging import BadCursor, Page

NINE = datetime(2026, 11, 16, 9, tzinfo=UTC)


def people(db: Connection, *names: str) -> None:
    """Agents whose ids go by the order of their names here, as those of agents do that join one after the other."""
    for number, name in enumerate(names):
        db.execute(
            "INSERT INTO agents (id, name, name_key, description, created_at) VALUES (?, ?, ?, '', ?)",
            [f"agent_{number}", name, name_key(name), NINE],
        )


def earn(db: Connection, name: str, points: float, minute: int | None = None) -> None:
    at = None if minute is None else NINE + timedelta(minutes=minute)
    db.execute("UPDATE agents SET points = ?, last_result_at = ? WHERE name = ?", [points, at, name])


def all_of(read: Callable[[str | None], Page[Any]]) -> list[Any]:
    """What is on all pages."""
    found, cursor = [], None
    while True:
        page = read(cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_agents_with_equal_points_share_a_rank_over_all_pages(db, limit):
    people(db, "ada", "bob", "cleo", "dan", "eve")
    for name, points in {"ada": 10, "bob": 20, "cleo": 10, "dan": 5}.items():
        earn(db, name, points)

    lines = all_of(lambda cursor: ranking.top(db, limit, cursor))

    assert [(line.agent.name, line.rank) for line in lines] == [
        ("bob", 1),
        ("cleo", 2),
        ("ada", 2),
        ("dan", 4),
        ("eve", None),
    ]


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_the_last_active_come_first_and_who_has_no_result_counts_from_joining(db, limit):
    people(db, "ada", "bob", "cleo", "dan")
    for name, minute in {"ada": 5, "bob": 9, "cleo": 5}.items():
        earn(db, name, 0, minute)

    names = [agent.name for agent in all_of(lambda cursor: listing.list_agents(db, "recent", limit, cursor))]

    assert names == ["bob", "cleo", "ada", "dan"]


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_names_go_by_their_letters_whatever_their_case(db, limit):
    people(db, "bob", "Ada", "ada-2", "Zoë", "émile", "!bang", "Bob 2")

    names = [agent.name for agent in all_of(lambda cursor: listing.list_agents(db, "name", limit, cursor))]

    assert names == ["!bang", "Ada", "ada-2", "bob", "Bob 2", "Zoë", "émile"]


@pytest.mark.parametrize("sort", ["points", "recent", "name"])
def test_a_deleted_agent_is_on_no_list(db, sort):
    gone = make.agent(db, "gone")
    earn(db, "gone", 99)
    people(db, "ada")
    accounts.delete(db, gone)

    assert [agent.name for agent in listing.list_agents(db, sort, 50, None).items] == ["ada"]
    assert listing.search_agents(db, "deleted", 50, None).items == []
    assert listing.search_agents(db, "gone", 50, None).items == []
    assert listing.count(db, 50) == 1


def test_a_search_finds_beginnings_by_name_then_other_places_by_points(db):
    people(db, "red fox", "Fox", "foxglove", "arctic fox", "wolf")
    earn(db, "red fox", 10)
    earn(db, "arctic fox", 20)

    assert [agent.name for agent in listing.search_agents(db, " FOX ", 50, None).items] == [
        "Fox",
        "foxglove",
        "arctic fox",
        "red fox",
    ]


def test_a_search_goes_on_over_pages_without_doubles(db):
    people(db, "fox", "fox 1", "fox 2", "a fox", "the fox")

    names = [agent.name for agent in all_of(lambda cursor: listing.search_agents(db, "fox", 2, cursor))]

    assert sorted(names) == ["a fox", "fox", "fox 1", "fox 2", "the fox"]


@pytest.mark.parametrize(("words", "names"), [("%", ["100%"]), ("_", ["a_b"]), ("!", ["what!"]), ("a_", ["a_b"])])
def test_signs_of_patterns_stand_for_themselves(db, words, names):
    people(db, "100%", "a_b", "axb", "what!", "\\")

    assert [agent.name for agent in listing.search_agents(db, words, 50, None).items] == names


@pytest.mark.parametrize("words", ["", " ", "\u2800", "\U0010ffff"])
def test_words_that_nobody_sees_find_nobody(db, words):
    people(db, "ada")

    assert listing.search_agents(db, words, 50, None).items == []


def test_names_are_looked_through_only_so_far(db, monkeypatch):
    monkeypatch.setattr(listing, "MAX_AGENTS_SEARCHED", 2)
    people(db, "the first", "the second", "the third")
    for points, name in enumerate(["the third", "the second", "the first"]):
        earn(db, name, points)

    assert [agent.name for agent in listing.containing(db, "th", 50)] == []
    assert [agent.name for agent in listing.containing(db, "first", 50)] == ["the first"]
    assert listing.containing(db, "third", 50) == []


@pytest.mark.parametrize("sort", ["points", "recent", "name"])
def test_a_cursor_of_another_list_is_refused(db, sort):
    people(db, "ada")

    with pytest.raises(BadCursor):
        listing.list_agents(db, sort, 50, "WyJ4Il0")


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_no_list_sorts_or_scans_all_agents(db):
    people(db, "ada", "bob", "cleo")
    counting = Counting(db)

    for sort in ("points", "recent", "name"):
        cursor = listing.list_agents(db, sort, 1, None).next_cursor
        listing.list_agents(counting, sort, 1, None)
        listing.list_agents(counting, sort, 1, cursor)
    listing.starting(counting, "a", 1, None)

    told = plans(db, counting)
    assert all("INDEX agents_by" in line for line in told), told
