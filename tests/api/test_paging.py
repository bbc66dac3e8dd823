"""Lists come in pages: bounded, complete, without doubles."""

from typing import Any, NamedTuple

import httpx
import pytest

from tests.api.exam import ROOT
from tests.api.problem import problem
from tests.hub import AgentClient, Hub
from viva.kit.paging import MAX_PAGE_BYTES

# Two are alike and two have none, so that a page may end between equals.
SCORES = [50, 90, None, 90, 10, None, 70]


class Crowd(NamedTuple):
    ada: AgentClient
    paul: AgentClient
    session_id: str
    result_id: str


@pytest.fixture(scope="module")
def crowd(hub: Hub) -> Crowd:
    """Ada has been examined seven times, and five others wait."""
    ada, paul = hub.agent("ada"), hub.agent("paul")
    for score in SCORES:
        registration_id = ada.start()
        session_id = paul.claim(registration_id)
        for number in range(6):
            paul.say(session_id, f"Question {number}")
        ada.say(session_id, "One answer to all of them.")
        more: dict[str, Any] = {} if score is None else {"score": score}
        decided = paul.submit(registration_id, passed=bool(score and score > 40), **more)
    for _ in range(5):
        hub.agent("abe").start()
    return Crowd(ada, paul, session_id, decided.json()["result"]["id"])


# Every list with a cursor, the name its items have, and how many there are at least.
LISTS = [
    ("/evaluations", "evaluations", 3),
    ("/agents/me/sessions", "sessions", 7),
    ("/agents/me/sessions?status=ended", "sessions", 7),
    ("/agents/me/evaluation-results", "results", 7),
    *[
        (f"{path}?sort={sort}", "results", 7)
        for path in ("/agents/me/evaluation-results", f"{ROOT}/results")
        for sort in ("completed_at", "-completed_at", "score", "-score", "points_earned", "-points_earned")
    ],
    (f"{ROOT}/results", "results", 7),
    (f"{ROOT}/results?passed=true", "results", 4),
    (f"{ROOT}/proctor/pending", "pending", 5),
    (f"{ROOT}/pending-proctor", "pending", 5),
]
EVERY_LIST = [path for path, _, _ in LISTS] + [
    f"{ROOT}/sessions/{{session}}/messages",
    f"{ROOT}/results/{{result}}/transcript",
]


@pytest.mark.parametrize(("path", "name", "count"), LISTS, ids=[path for path, _, _ in LISTS])
@pytest.mark.parametrize("limit", [1, 3])
def test_pages_put_together_are_the_whole_list(crowd: Crowd, path: str, name: str, count: int, limit: int):
    whole = crowd.ada.get(with_query(path, limit=200)).json()

    pages: list[list[Any]] = []
    cursor: str | None = ""
    while cursor is not None and len(pages) < 50:
        answer = crowd.ada.get(with_query(path, limit=limit, **({"cursor": cursor} if cursor else {}))).json()
        pages.append(answer[name])
        cursor = answer["next_cursor"]

    assert len(whole[name]) >= count
    assert whole["next_cursor"] is None
    assert [item for page in pages for item in page] == whole[name]
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert 1 <= len(pages[-1]) <= limit


def test_results_are_sorted_as_asked(crowd: Crowd):
    def listed(sort: str, field: str) -> list[Any]:
        own = {"agent": crowd.ada.name, "sort": sort}
        return [result[field] for result in crowd.ada.get(f"{ROOT}/results", params=own).json()["results"]]

    assert listed("score", "score") == [None, None, 10, 50, 70, 90, 90]
    assert listed("-score", "score") == [90, 90, 70, 50, 10, None, None]
    assert listed("-points_earned", "points_earned") == [10, 10, 10, 10, 0, 0, 0]
    assert listed("completed_at", "completed_at") == sorted(listed("-completed_at", "completed_at"))
    assert listed("completed_at", "completed_at") == listed("-completed_at", "completed_at")[::-1]


@pytest.mark.parametrize("path", [f"{ROOT}/results", "/agents/me/evaluation-results"])
def test_a_sort_by_name_of_an_old_address_lists_the_newest_first(crowd: Crowd, path: str):
    newest = crowd.ada.get(path).json()

    assert all(
        crowd.ada.get(path, params={"sort": sort}).json() == newest
        for sort in ("agent", "-agent", "proctor", "-proctor")
    )
    problem(crowd.ada.get(path, params={"sort": "colour"}), 422, field="sort")


@pytest.mark.parametrize("name", ["messages", "transcript"])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_pages_of_messages_follow_each_other_by_sequence(crowd: Crowd, name: str, limit: int):
    path = (
        f"{ROOT}/sessions/{crowd.session_id}/messages"
        if name == "messages"
        else f"{ROOT}/results/{crowd.result_id}/transcript"
    )

    found: list[int] = []
    since: int | None = 0
    while since is not None and len(found) < 20:
        answer = crowd.ada.get(path, params={"since": since, "limit": limit}).json()
        assert 1 <= len(answer["messages"]) <= limit
        found += [message["sequence"] for message in answer["messages"]]
        since = answer["next_cursor"]

    assert found == [1, 2, 3, 4, 5, 6, 7]


def test_a_talk_of_long_messages_comes_in_pages_of_bounded_bytes(hub: Hub):
    """A page has its items and little beside them."""
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    for _ in range(40):
        paul.say(session_id, '"' * 60_000)
    result_id = paul.submit(registration_id).json()["result"]["id"]

    for path in (f"{ROOT}/sessions/{session_id}/messages", f"{ROOT}/results/{result_id}/transcript"):
        found: list[int] = []
        cursor: str | None = ""
        while cursor is not None and len(found) < 50:
            answer = ada.get(with_query(path, **({"cursor": cursor} if cursor else {})))
            assert len(answer.content) < MAX_PAGE_BYTES + 2_000
            found += [message["sequence"] for message in answer.json()["messages"]]
            cursor = answer.json()["next_cursor"]
        assert found == list(range(1, 41))


def test_results_with_long_feedback_come_in_pages_of_bounded_bytes(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    for _ in range(9):
        registration_id = ada.start()
        paul.claim(registration_id)
        given: dict[str, Any] = {"proctor_feedback": "\x01" * 20_000, "result_data": {"note": '"' * 30_000}}
        assert paul.submit(registration_id, **given).status_code == 201

    for path in (f"{ROOT}/results?agent={ada.name}", "/agents/me/evaluation-results"):
        sizes: list[int] = []
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None and len(sizes) < 20:
            answer = ada.get(with_query(path, limit=200, **({"cursor": cursor} if cursor else {})))
            sizes.append(len(answer.content))
            found += [result["id"] for result in answer.json()["results"]]
            cursor = answer.json()["next_cursor"]
        assert len(set(found)) == len(found) == 9
        assert len(sizes) == 2
        assert max(sizes) < MAX_PAGE_BYTES + 2_000


@pytest.mark.parametrize("path", EVERY_LIST)
def test_a_limit_is_a_number_from_1_to_200(crowd: Crowd, path: str):
    path = path.format(session=crowd.session_id, result=crowd.result_id)

    for limit in ("1", "200"):
        assert crowd.ada.get(with_query(path, limit=limit)).status_code == 200
    for limit in ("0", "201", "-1", "abc", "1.5", "+1", "9" * 30):
        problem(crowd.ada.get(with_query(path, limit=limit)), 422, field="limit")


@pytest.mark.parametrize("path", [path for path, _, _ in LISTS])
def test_a_cursor_that_the_hub_did_not_give_out_is_refused(crowd: Crowd, path: str):
    for cursor in ("abc", "!!!", "é", "e30", "W10", "a" * 1_001):
        problem(crowd.ada.get(with_query(path, cursor=cursor)), 422, field="cursor")


def test_a_cursor_of_another_list_is_refused(crowd: Crowd):
    of_sessions = crowd.ada.get("/agents/me/sessions?limit=1").json()["next_cursor"]
    of_results = crowd.ada.get(f"{ROOT}/results?limit=1").json()["next_cursor"]

    for path, cursor in (
        ("/evaluations", of_sessions),
        (f"{ROOT}/results", of_sessions),
        (f"{ROOT}/proctor/pending", of_sessions),
        ("/agents/me/sessions", of_results),
    ):
        problem(crowd.ada.get(with_query(path, cursor=cursor)), 422, "bad_cursor", "cursor")


def test_results_are_filtered_by_agent_proctor_verdict_and_text(crowd: Crowd):
    def found(**query: object) -> set[str]:
        ids: set[str] = set()
        page = {"next_cursor": ""}
        while page["next_cursor"] is not None:  # other tests share the hub, so that there may be many
            more = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
            page = crowd.ada.get(with_query(f"{ROOT}/results?limit=200", **query, **more)).json()
            ids |= {result["id"] for result in page["results"]}
        return ids

    everyone = found()

    assert found(proctor=crowd.paul.name) == found(agent=crowd.ada.id) == found(q=crowd.paul.name.upper())
    assert len(found(agent=crowd.ada.name)) == 7
    assert found(q="%", agent=crowd.ada.id) == found(q="nobody wrote this") == set()
    assert found(passed="true") | found(passed="false") == everyone
    assert found(agent=crowd.ada.name.upper()) == found(agent=crowd.ada.name[1:]) == found(agent=crowd.ada.id)
    assert found(proctor="nobody-here") == found(agent="%") == found(agent="_" * 3) == set()


def test_a_page_stays_where_it_was_when_something_new_comes(hub: Hub, crowd: Crowd):
    first = crowd.ada.get(f"{ROOT}/results?limit=3").json()
    rest = crowd.ada.get(with_query(f"{ROOT}/results?limit=200", cursor=first["next_cursor"])).json()["results"]
    abe = hub.agent("abe")
    registration_id = abe.start()
    crowd.paul.claim(registration_id)
    crowd.paul.submit(registration_id)

    again = crowd.ada.get(with_query(f"{ROOT}/results?limit=200", cursor=first["next_cursor"])).json()["results"]

    assert again == rest


def with_query(path: str, **parameters: object) -> str:
    return str(httpx.URL(path).copy_merge_params({name: str(value) for name, value in parameters.items()}))
