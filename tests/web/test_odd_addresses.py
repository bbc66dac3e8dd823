"""Whatever stands in an address, its page can be shown or says what is wrong with it; no page fails."""

from typing import Any

import pytest

from tests.traces.analysed import keep_run
from viva.kit.paging import cursor_at
from viva.results.sort_orders import SORT_ORDERS
from viva.traces import sharing

ODD = [
    "%",
    "%25%5F!",
    "%ED%A0%80",
    "%FF",
    "%F0%9F%A6%A4",
    "%E2%80%AE",
    "-1",
    "9" * 5_000,
    "a" * 5_000,
    "..",
    "%2E%2E%2F",
    "'",
]
QUERIES = {
    "/agents": ("q", "sort", "cursor"),
    "/search": ("q",),
    "/evaluations": ("q", "type", "status", "cursor"),
    "/evaluations/good-manners": ("version", "passed", "agent", "proctor", "q", "cursor", "board", "matrix_cursor"),
    "/evaluations/good-manners?board=all": ("board_cursor",),
    "/evaluations/compare?a={result}": ("b", "after_a"),
    "/evaluations/result/{result}": ("prompt", "after", "message", "part"),
    "/u/ada": ("cursor",),
    "/u/ADA": ("path", "cursor"),
    "/u/ada/results": ("evaluation", "passed", "cursor"),
    "/sessions/{session}": ("before",),
    "/traces": ("q", "dataset", "tag", "below", "sort", "new", "cursor", "share"),
    "/traces/{trace}?share={token}": ("turn", "found", "analysis", "uploaded"),
    "/traces/{trace}": ("share",),
    "/traces/{trace}/agents/planner?share={token}": ("offset", "turn"),
    "/traces/{trace}/events?share={token}": ("analysis",),
    "/traces/{trace}/analysis.json?share={token}": ("analysis",),
    "/traces/compare?share={token}&a={trace}": ("b",),
    "/traces/datasets/shop": ("share",),
    "/login": ("next",),
    "/join": ("next",),
    "/proctor": ("kept",),
}
NAMED = [
    "/u/{}",
    "/u/{}/results",
    "/sessions/{}",
    "/classes/{}",
    "/evaluations/{}",
    "/evaluations/result/{}",
    "/static/{}",
    "/traces/{}",
    "/traces/{}/trace.json",
    "/traces/{}/delete",
    "/traces/datasets/{}",
    "/traces/datasets/{}/labels.jsonl",
]
FORGED = [
    cursor_at(key)
    for key in [
        (-1e300, "", 0, 0),
        (5, "x", -50, 2**62),
        ("result", "x"),
        ("result", "\0"),
        ("a", "b"),
        ("2020-01-01T00:00:00Z", "x"),
        (2**63,),
        ((),),
    ]
]


@pytest.fixture
def filled(site) -> dict[str, str]:
    """A hub in which there is something to find."""
    result = site.result("ada")
    ada = site.account("the-owner").agent
    trace_id = site.database.write_now(lambda db: keep_run(db, ada, dataset="shop"))
    token = site.database.write_now(lambda db: sharing.share(db, trace_id, ada.id))
    return {"result": result.id, "session": result.session_id or "", "trace": trace_id, "token": token}


def failed(site: Any, paths: list[str]) -> list[str]:
    return [path for path in paths if site.get(path, follow_redirects=False).status_code >= 500]


def asked(path: str, name: str, value: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{name}={value}"


def test_no_word_of_a_query_is_too_odd(site, filled):
    paths = [
        asked(path.format(**filled), name, odd) for path, names in QUERIES.items() for name in names for odd in ODD
    ]

    assert failed(site, paths) == []


def test_no_name_in_an_address_is_too_odd(site, filled):
    assert failed(site, [path.format(odd) for path in NAMED for odd in ODD]) == []


def test_no_cursor_is_too_odd(site, filled):
    cursors = [
        asked(path, name, forged)
        for path, names in QUERIES.items()
        for name in names
        if name.endswith("cursor")
        for forged in FORGED
    ]
    sorted_ = [f"/evaluations/good-manners?sort={sort}&cursor={forged}" for sort in SORT_ORDERS for forged in FORGED]

    assert failed(site, cursors + sorted_) == []
