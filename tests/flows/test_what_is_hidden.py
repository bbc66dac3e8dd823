"""What a maintainer hid or erased stands at no public address of the hub, and comes back where it was shown.

The walk asks for every address as a stranger."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.flows.test_what_is_shown import (
    BENCHMARK,
    CHECK,
    CLASS,
    TALK,
    Planted,
    addresses,
    browser_of,
    plant,
    read,
    take_check,
    take_talk,
)
from tests.hub import AgentClient, Hub, until
from tests.protocols.mcp_clients import by_http
from tests.protocols.test_a2a import old_message

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


# What markers wrote


class Judged(NamedTuple):
    """Results about which markers wrote words that begin with QUUX: a talk, marked answers, and the work of a class."""

    planted: Planted
    marta: AgentClient
    results: list[str]


FREE_DATA = {
    "criteria": [
        {
            "id": "polite",
            "text": "QUUXTEXT",
            "mark": 50,
            "max": 50,
            "met": True,
            "note": "QUUXNOTE",
            "prompt_id": "QUUXP",
        },
        {"id": "QUUXID", "text": "QUUXOTHER", "met": True, "marks": [{"marker": "QUUXMARKER", "reason": "QUUXREASON"}]},
    ],
    "QUUXKEY": [{"deep": "QUUXDEEP"}],
    "injections": [{"row_id": "polite", "quotes": ["QUUXQUOTE"]}],
}
WORDS_OF_MARKERS = ("QUUX", "quux")


@pytest.fixture
def judged(hub: Hub, tmp_path: Path) -> Judged:
    plant(hub, tmp_path)
    marta = hub.maintainer("marta")
    ada, bob, paul, mara = (hub.agent(name) for name in ("ada", "bob", "paul", "mara"))
    talk, session = judge_talk(ada, paul)
    cohort, class_session, class_results = judge_class(ada, bob, paul, mara)
    results = [talk, judge_quiz(ada, paul), *class_results]
    ids = {
        "evaluation_id": [TALK, BENCHMARK, CLASS],
        "result_id": results,
        "session_id": [session, class_session],
        "cohort_id": [cohort],
        "name": [ada.name, paul.name],
        "agent_id": [ada.id, paul.id],
        "version": ["1.0.0"],
    }
    planted = Planted(hub, ada, bob, paul, ids | {"sip": ids["evaluation_id"], "evaluation": ids["evaluation_id"]})
    return Judged(planted, marta, results)


def judge_talk(ada: AgentClient, paul: AgentClient) -> tuple[str, str]:
    registration_id = ada.start(TALK)
    session_id = paul.claim(registration_id, TALK)
    paul.say(session_id, "Hello, please.", TALK)
    ada.say(session_id, "Good day to you.", TALK)
    decided = paul.submit(registration_id, True, TALK, score=50, result_data=FREE_DATA)
    assert decided.status_code == 201, decided.text
    return str(decided.json()["result"]["id"]), session_id


def judge_quiz(ada: AgentClient, paul: AgentClient) -> str:
    registration_id = ada.start(BENCHMARK)
    assert ada.post(f"/evaluations/{BENCHMARK}/submit", {"answers": {"why": "Because."}}).status_code == 202
    return judge_sheet(paul, BENCHMARK, {"registration_id": registration_id})[0]


def judge_class(ada: AgentClient, bob: AgentClient, paul: AgentClient, mara: AgentClient) -> tuple[str, str, list[str]]:
    path = f"/evaluations/{CLASS}"
    cohort = str(paul.post(f"{path}/cohorts", {"role": "instructor"}).json()["cohort"]["id"])
    for agent in (ada, bob):
        assert agent.post(f"{path}/register").status_code == 201
        assert agent.post(f"{path}/cohorts/{cohort}/join").status_code == 201
    session_id = str(paul.post(f"{path}/cohorts/{cohort}/start").json()["session_id"])
    for agent in (ada, bob):
        assert agent.say(session_id, "We plan.", CLASS).status_code == 201
    assert paul.post(f"{path}/cohorts/{cohort}/finish").status_code == 200
    return cohort, session_id, judge_sheet(mara, CLASS, {"cohort_id": cohort})


def judge_sheet(marker: AgentClient, exam: str, which: dict[str, str]) -> list[str]:
    """The results of the sheet, each row of which the marker gave words."""
    path = f"/evaluations/{exam}/proctor/rubric"
    until(lambda: marker.post(f"{path}/take", which).status_code == 200)
    rows = marker.post(f"{path}/take", which).json()["rows"]
    marks = [{"row_id": row["row_id"], "mark": 1, "reason": "QUUXREASON", "evidence": "QUUXQUOTE"} for row in rows]
    given = marker.post(path, {**which, "marks": marks, "feedback": "QUUXFEEDBACK."})
    assert given.status_code == 201, given.text
    answer = given.json()
    return [str(each["id"]) for each in answer.get("results") or [answer["result"]]]


def places_of(judged: Judged) -> list[tuple[str, str]]:
    """Every address, for a stranger, the candidate and a marker."""
    asked = list(addresses(judged.planted))
    asked += [f"/search?q={word}" for word in ("QUUXTEXT", "QUUXFEEDBACK")]
    asked += [f"/api/v1/results/{result_id}/certificate" for result_id in judged.results]
    asked += [f"/api/v1/evaluations/{exam}/findings?official=any" for exam in judged.planted.ids["evaluation_id"]]
    return list(product(("stranger", "candidate", "marker"), asked))


def read_all(judged: Judged, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    people = {"stranger": None, "candidate": judged.planted.ada, "marker": judged.planted.paul}
    clients = {who: browser_of(judged.planted, agent) for who, agent in people.items()}
    return {(who, address): read(clients[who], address) for who, address in places}


async def ask_protocols(judged: Judged) -> list[str]:
    """What the candidate is told of each result by A2A and by MCP."""
    hub, ada = judged.planted.hub, judged.planted.ada
    asked = [{"skill": "read_result", "result_id": result_id} for result_id in judged.results]
    told = [ada.http.post(f"{hub.url}/a2a", json=old_message(json.dumps(each))).text for each in asked]
    async with by_http(hub, ada.key) as agent:
        read = [await agent.call("read_result", result_id=result_id) for result_id in judged.results]
        listed = [await agent.call("list_results", evaluation_id=exam) for exam in judged.planted.ids["evaluation_id"]]
    return [*told, *map(json.dumps, [*read, *listed])]


def find_words(pages: dict[tuple[str, str], str]) -> set[tuple[str, str]]:
    return {place for place, text in pages.items() if any(word in text for word in WORDS_OF_MARKERS)}


def tables_with_words(hub: Hub) -> set[str]:
    listed = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if "sqlite" not in type(hub.driver).__module__:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    names = [name for (name,) in hub.driver.execute(listed).fetchall()]
    rows: dict[str, Any] = {name: hub.driver.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    return {name for name, found in rows.items() if any(word in repr(found) for word in WORDS_OF_MARKERS)}


def disproved(judged: Judged) -> list[dict[str, Any]]:
    """What `viva check` finds about the results and their evaluations. Other tests change sums of the same hub."""
    findings: list[dict[str, Any]] = json.loads(judged.planted.hub.viva("check", "--json").stdout)["findings"]
    about = [*judged.results, TALK]
    return [each for each in findings if any(word in each["id"] for word in about)]


def test_what_markers_wrote_leaves_every_address_with_the_feedback(judged: Judged, tmp_path: Path):
    hub, marta = judged.planted.hub, judged.marta
    texts = [{"subject_type": "feedback", "subject_id": result_id} for result_id in judged.results]
    places = places_of(judged)
    shown = find_words(read_all(judged, places))
    assert {who for who, _ in shown} == {"stranger", "candidate", "marker"}
    assert len(shown) > 30
    protocols = [any(word in text for word in WORDS_OF_MARKERS) for text in asyncio.run(ask_protocols(judged))]
    assert protocols.count(True) > 4

    for text in texts:
        assert marta.post("/maintain/hide", text | {"reason": REASON}).status_code == 200
    hidden = read_all(judged, places)
    assert find_words(hidden) == set()
    assert not any(word in text for text in asyncio.run(ask_protocols(judged)) for word in WORDS_OF_MARKERS)
    assert tables_with_words(hub) == {"hidden_texts", "evaluation_marks", "evaluation_markings"}
    assert "Hidden by marta" in hidden["stranger", f"/evaluations/result/{judged.results[0]}"]
    certificate = tmp_path / "certificate.json"
    certificate.write_text(hidden["stranger", f"/api/v1/results/{judged.results[0]}/certificate"])
    verified = hub.viva("certificate", "verify", str(certificate))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "a maintainer of the hub has hidden texts" in verified.stdout
    assert disproved(judged) == []

    talk, *others = texts
    assert hub.viva("show", "feedback", talk["subject_id"]).returncode == 0
    for text in others:
        assert marta.post("/maintain/unhide", text).status_code == 200
    assert find_words(read_all(judged, shown)) == shown

    assert hub.viva("hide", "feedback", talk["subject_id"], "--reason", REASON).returncode == 0
    assert marta.post("/maintain/unhide", talk).status_code == 200
    page = browser_of(judged.planted, marta)
    for text in texts:
        form = {"type": "result", "id": text["subject_id"], "what": "feedback", "reason": REASON}
        assert page.post("/maintain/hide", data=form).status_code == 303
        assert marta.post("/maintain/erase", text).status_code == 200
    assert tables_with_words(hub) == set()
    assert disproved(judged) == []
