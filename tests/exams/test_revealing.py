"""Who sees which answers: by the rule of the SIP, by version, by what is still asked, and by who looks."""

from typing import Any

import pytest
from msgspec import structs

from tests import make
from tests.exams import certification, quiz
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams import appointments, registering, revealing, sheets, starting, submitting, viewing
from viva.exams.redacting import ALL_HIDDEN, HiddenItems
from viva.exams.revealing import ShownResult
from viva.kit.db import Connection
from viva.results.model import NamedResult

ASKED = [question for question in quiz.QUESTIONS if question["id"] in ("sky", "capital")]
OTHERS = [{"id": "sea", "kind": "exact", "text": "Which sea?", "answers": ["red"]}]


def offer(db: Connection, version: str = "1.0.0", questions: list[dict[str, Any]] = ASKED, **more: Any) -> None:
    status = more.pop("status", "active")
    make.evaluation(db, **quiz.fields(questions=questions, **more) | {"version": version, "status": status})


def take(db: Connection, name: str = "ada") -> tuple[Agent, NamedResult]:
    agent = make.agent(db, name)
    registering.register(db, quiz.ID, agent)
    starting.start(db, make.HALL, quiz.ID, agent, "")
    exam = submitting.exam_of(db, make.HALL, quiz.ID, agent, "")
    result = submitting.submit(db, exam, {"answers": {"sky": "blue", "capital": "Lyon"}}).result
    assert result
    return agent, result


def shown(db: Connection, result: NamedResult, viewer: Agent | None = None) -> ShownResult:
    return revealing.show_result(db, make.HALL, result, viewer)


def answers(result: ShownResult) -> list[str]:
    return [line["evidence"] for line in (result.result_data or {})["criteria"]]


@pytest.mark.parametrize(("reveal", "is_public"), [("on_retirement", False), ("always", True), ("never", False)])
def test_the_sip_says_whether_answers_in_use_are_public(db, reveal, is_public):
    offer(db, reveal=reveal)
    _, result = take(db)

    assert answers(shown(db, result)) == (["blue", "Lyon"] if is_public else ["", ""])


def test_on_retirement_is_the_default_and_a_new_version_with_other_items_retires_the_old_one(db):
    offer(db)
    _, result = take(db)
    assert shown(db, result).shows == "marks"

    offer(db, "2.0.0", OTHERS)

    assert (shown(db, result).shows, answers(shown(db, result))) == ("all", ["blue", "Lyon"])


def test_an_item_that_the_new_version_still_asks_stays_hidden_under_any_id(db):
    offer(db)
    _, result = take(db)

    offer(db, "2.0.0", [*OTHERS, {**ASKED[1], "id": "town", "text": "THE  capital of France?", "points": 3}])

    lines = {line["id"]: line["evidence"] for line in (shown(db, result).result_data or {})["criteria"]}
    assert lines == {"sky": "blue", "capital": ""}


def test_a_version_stays_hidden_while_somebody_is_taking_it(db):
    offer(db)
    _, result = take(db)
    bob = make.agent(db, "bob")
    registering.register(db, quiz.ID, bob)
    starting.start(db, make.HALL, quiz.ID, bob, "")
    offer(db, "2.0.0", OTHERS)
    assert shown(db, result).shows == "marks"

    registering.cancel(db, quiz.ID, bob)

    assert shown(db, result).shows == "all"


def test_a_closed_evaluation_shows_its_answers_unless_it_never_does(db):
    offer(db)
    _, result = take(db)

    offer(db, status="retired")
    assert shown(db, result).shows == "all"
    offer(db, status="retired", reveal="never")
    assert shown(db, result).shows == "marks"


def test_maintainers_and_appointed_proctors_see_all_unless_they_sit_the_exam_themselves(db):
    offer(db)
    ada, result = take(db)
    paul = make.agent(db, "paul")
    assert [shown(db, result, viewer).shows for viewer in (ada, paul)] == ["own", "marks"]

    appointments.appoint(db, paul.id, quiz.ID, None)
    assert shown(db, result, paul).shows == "all"
    assert shown(db, result, structs.replace(make.agent(db, "mia"), is_maintainer=True)).shows == "all"
    registering.register(db, quiz.ID, paul)

    assert shown(db, result, paul).shows == "marks"


def test_the_candidate_of_a_certification_reads_neither_the_rubric_nor_the_words_of_markers(db):
    certification.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    registration_id = certification.hand_in(db, ada)
    sheets.give_to_proctors(db, sheets.get_about(db, registration_id).id)
    marks = certification.given(10, 8, 5, reason="It greets.")
    (result,) = make.mark_sheet(db, certification.EXAM, registration_id, paul, marks)

    lines = (shown(db, result, ada).result_data or {})["criteria"]

    assert [line["id"] for line in lines] == list(certification.ROWS)
    assert {line["text"] for line in lines} == {line["reason"] for line in lines} == {""}
    assert all(set(mark) == {"row_id", "marker", "mark", "most"} for line in lines for mark in line["marks"])
    assert shown(db, result, paul).shows == "all"  # who marked it


def test_a_talk_is_public_unless_its_evaluation_never_reveals(db):
    make.evaluation(db)
    ada, paul, eve = (make.agent(db, name) for name in ("ada", "paul", "eve"))
    result = make.result(db, ada, paul)
    assert viewing.get_session_of_result(db, result, None).id == result.session_id

    make.evaluation(db, config={"max_score": 100, "reveal": "never"}, version="1.1.0")

    for viewer in (None, eve):
        with pytest.raises(viewing.KeptBack):
            viewing.get_session_of_result(db, result, viewer)
        with pytest.raises(viewing.KeptBack):
            viewing.get_session(db, "good-manners", result.session_id or "", viewer)
    assert viewing.get_session_of_result(db, result, ada).id == result.session_id


def test_the_plain_digest_is_inside_and_the_published_one_depends_on_the_secret(db):
    offer(db)
    _, result = take(db)
    plain = evaluations.get(db, quiz.ID).digest
    other = revealing.show_result(db, structs.replace(make.HALL, secret=b"another secret of a hub"), result, None)

    assert result.evaluation_digest == plain
    assert len({plain, shown(db, result).evaluation_digest, other.evaluation_digest}) == 3
    assert shown(db, result).evaluation_digest_key != other.evaluation_digest_key
    assert shown(db, result) == shown(db, result)


def test_rows_of_one_probe_and_rows_of_a_class_are_found_by_their_item():
    hidden = HiddenItems(frozenset({"ask", "plan"}))

    assert all(hidden.has(name) for name in ("ask", "ask-2", "group/plan", "3/plan"))
    assert not hidden.has("other")
    assert ALL_HIDDEN.has("other")
