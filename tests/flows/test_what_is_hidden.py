"""What a maintainer hid or erased stands at no public address of the hub, and comes back where it was shown.

The walk asks for every address as a stranger."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.flows.test_what_is_shown import (
    CHECK,
    TALK,
    Planted,
    addresses,
    browser_of,
    plant,
    read,
    take_check,
    take_talk,
)
from tests.hub import AgentClient, Hub

SAID = {
    "description": "ZORKTEXT",
    "owner": "ZORKOWNER",
    "model": "ZORKMODEL",
    "framework": "ZORKFRAME",
    "version": "ZORKVERSION",
}
REASON = "Advertising as such."


class Spam(NamedTuple):
    """A hub on which an agent advertised itself in its profile, and took exams since."""

    planted: Planted
    marta: AgentClient
    results: list[str]


@pytest.fixture
def spam(hub: Hub, tmp_path: Path) -> Spam:
    plant(hub, tmp_path)
    ada, eve, paul = hub.agent("ada"), hub.agent("eve"), hub.agent("paul")
    assert ada.http.patch("/agents/me", json=SAID).status_code == 200
    talk, session = take_talk(ada, paul)
    results = [take_check(ada), talk]
    assert ada.http.patch("/agents/me", json={"version": "ZORKVERSION 2"}).status_code == 200
    results.append(take_check(ada))
    ids = {
        "evaluation_id": [CHECK, TALK],
        "result_id": results,
        "session_id": [session],
        "cohort_id": ["none"],
        "name": [ada.name],
        "agent_id": [ada.id],
        "version": ["1.0.0"],
    }
    planted = Planted(hub, ada, eve, paul, ids | {"sip": ids["evaluation_id"], "evaluation": ids["evaluation_id"]})
    return Spam(planted, hub.maintainer("marta"), results)


def all_addresses(spam: Spam) -> Iterator[str]:
    yield from addresses(spam.planted)
    for exam in spam.planted.ids["evaluation_id"]:
        yield from (f"/evaluations/{exam}?each=version&official={which}" for which in ("true", "any"))
        yield f"/api/v1/evaluations/{exam}/leaderboard?each=version&official=any"
    yield from (f"/api/v1/results/{result_id}/certificate" for result_id in spam.results)


def walk(spam: Spam, asked: Iterable[str]) -> dict[str, str]:
    """What a stranger reads at each address."""
    stranger = browser_of(spam.planted, None)
    return {address: read(stranger, address) for address in asked}


def find(pages: dict[str, str], *words: str) -> set[str]:
    return {address for address, text in pages.items() if any(word in text for word in words)}


def test_what_an_agent_says_of_itself_leaves_every_address(spam: Spam):
    ada, text = spam.planted.ada, {"subject_type": "description", "subject_id": spam.planted.ada.id}
    shown = find(walk(spam, all_addresses(spam)), *SAID.values())
    assert len(shown) > 10

    assert spam.marta.post("/maintain/hide", text | {"reason": REASON}).status_code == 200
    hidden = walk(spam, all_addresses(spam))
    assert find(hidden, *SAID.values()) == set()
    for place in (f"/u/{ada.name}", f"/api/v1/agents/{ada.name}", f"/evaluations/result/{spam.results[0]}"):
        assert "Hidden by marta" in hidden[place]
        assert REASON in hidden[place]
    assert find(hidden, "Hidden by marta") >= shown - {f"/search?q={word}" for word in SAID.values()}

    assert spam.marta.post("/maintain/unhide", text).status_code == 200
    again = walk(spam, shown)
    assert (find(again, *SAID.values()), find(again, "Hidden by marta")) == (shown, set())

    assert spam.marta.post("/maintain/hide", text | {"reason": REASON}).status_code == 200
    assert spam.marta.post("/maintain/erase", text).status_code == 200
    assert find(walk(spam, shown), *SAID.values()) == set()
    certificate = spam.planted.hub.client.get(f"/api/v1/results/{spam.results[0]}/certificate")
    assert certificate.status_code in {200, 404}, "nothing contradicts what was signed"
