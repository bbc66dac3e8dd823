"""Where SQLite reads: what is short on the event loop, what is long in threads, so that others do not wait for it."""

import pytest

from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS
from viva.kit.sqlite import SqliteDatabase

RESULTS = "/api/v1/evaluations/good-manners/results"
MESSAGES = "/api/v1/evaluations/good-manners/sessions/{}/messages"


@pytest.fixture
def on_loop(site) -> list[str]:
    """The statements that the event loop reads with."""
    assert isinstance(site.database, SqliteDatabase)
    statements: list[str] = []
    site.database._reader.set_trace_callback(statements.append)
    return statements


@pytest.mark.parametrize("new_site", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", ["/evaluations/good-manners", "/agents", f"{RESULTS}?limit={DEFAULT_PAGE_ITEMS + 1}"])
def test_pages_and_long_lists_are_not_read_on_the_event_loop(site, on_loop, path):
    site.result("ada")

    assert "ada" in site.text(path)
    assert on_loop == []


@pytest.mark.parametrize("new_site", ["sqlite"], indirect=True)
def test_a_short_list_and_a_transcript_are_read_on_the_event_loop(site, on_loop):
    result = site.result("ada")
    for path in (RESULTS, f"{MESSAGES.format(result.session_id)}?limit={MAX_PAGE_ITEMS}"):
        on_loop.clear()
        site.text(path)
        assert on_loop
