"""Probes and class tasks with parameters: what an attempt or a class gets stays the same until its result."""

import re
from typing import Any

import pytest

from tests import make
from tests.exams import certification, class_work
from viva.agents.model import Agent
from viva.exams import attempts, classes, joining, practising, registering, sheets, starting, store, submitting
from viva.exams.handlers.agent_certification import conversations
from viva.exams.marking import GivenMark
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.sessions import channel

PROBE = {
    "id": "sum",
    "messages": [{"role": "user", "content": "What is {a} + 1?"}],
    "parameters": {"a": {"min": 1, "max": 1_000_000_000}},
}
ROW = {"promptId": "sum", "criteria": "It is {a + 1}.", "weight": 100, "maxScore": 10}
CLASS_TEXTS: dict[str, Any] = {
    "task": "Plan a day out for {count} children.",
    "rubric": [
        {"id": "plan", "of": "group", "criteria": "All {count} have a seat.", "max_score": 10},
        {"id": "share", "of": "participant", "criteria": "Counts to {count}.", "max_score": 10},
    ],
    "parameters": {"count": {"min": 1, "max": 1_000_000_000}},
}


def number_in(text: str) -> int:
    return int(re.findall(r"\d+", text)[0])


def begin(db: Connection, agent: Agent) -> dict[str, Any]:
    registering.register(db, certification.EXAM, agent)
    return starting.start(db, make.HALL, certification.EXAM, agent, "").details


def asked(details: dict[str, Any]) -> str:
    return str(details["prompts"][0]["messages"][0]["content"])


def hand_in(db: Connection, agent: Agent, details: dict[str, Any], **answer: Any) -> None:
    body = {"nonce": details["nonce"], "transcript": [{"prompt_id": "sum", **answer}]}
    submitting.submit(db, submitting.exam_of(db, make.HALL, certification.EXAM, agent, ""), body)


def test_an_attempt_is_asked_and_marked_with_its_own_values(db):
    certification.evaluation(db, prompts=[PROBE], rubric=[ROW])
    ada, bob, paul = (make.agent(db, name) for name in ("ada", "bob", "paul"))
    first, other = begin(db, ada), begin(db, bob)

    assert begin(db, ada) == first
    assert asked(first) != asked(other)
    number = number_in(asked(first))
    said = {"role": "assistant", "content": "I cannot say."}
    foreign = [{"role": "user", "content": asked(other)}, said]
    with pytest.raises(Invalid):
        hand_in(db, ada, first, messages=foreign)
    hand_in(db, ada, first, messages=[{"role": "user", "content": asked(first)}, said])

    registration = store.find_open(db, ada.id, certification.EXAM)
    assert registration
    sheets.give_to_proctors(db, sheets.get_about(db, registration.id).id)
    (row,) = make.take_sheet(db, certification.EXAM, registration.id, paul).rows
    assert row.ask == f"It is {number + 1}."
    assert f"What is {number} + 1?" in row.texts["conversation"]
    content = attempts.find_of(db, registration.id)
    assert content
    (shown,) = conversations(certification.evaluation(db, prompts=[PROBE], rubric=[ROW]), content.content)
    assert number_in(shown.said[0].message.content) == number


def test_practice_is_free_only_where_every_probe_has_values_of_its_own(db):
    fixed = certification.evaluation(db)
    drawn = certification.evaluation(db, "1.1.0", prompts=[PROBE], rubric=[ROW])
    mixed = certification.evaluation(db, "1.2.0", prompts=[PROBE, *certification.PROMPTS])

    assert [practising.has_new_items(each) for each in (fixed, drawn, mixed)] == [False, True, False]


def test_a_class_keeps_its_values_from_its_opening_to_its_marks(db):
    class_work.evaluation(db, **CLASS_TEXTS)
    cohort, people = class_work.gathered(db, "ann", "ben")
    leader = make.found_agent(db, "ida")
    count = number_in(classes.view_cohort(db, cohort).task)

    cohort = joining.start(db, class_work.CLASS, cohort.id, leader)
    for agent in people:
        channel.send(db, class_work.CLASS, cohort.session_id or "", agent.id, "Thirty.", 1_000, None)
    cohort = classes.finish(db, class_work.CLASS, cohort.id, leader)
    sheets.give_to_proctors(db, sheets.get_about(db, cohort.id).id)

    paul = make.agent(db, "paul")
    rows = make.take_sheet(db, class_work.CLASS, cohort.id, paul).rows
    assert classes.view_cohort(db, cohort).task == f"Plan a day out for {count} children."
    assert {row.ask for row in rows} == {f"All {count} have a seat.", f"Counts to {count}."}
    assert {number_in(row.texts["task"]) for row in rows} == {count}
    results = make.mark_sheet(db, class_work.CLASS, cohort.id, paul, [GivenMark(row.id, 10) for row in rows])
    assert all(result.passed for result in results)


def test_two_classes_have_values_of_their_own(db):
    class_work.evaluation(db, **CLASS_TEXTS)
    tasks = {
        classes.view_cohort(db, joining.open_cohort(db, class_work.CLASS, make.agent(db, name), None).cohort).task
        for name in ("ann", "ben", "cem")
    }

    assert len(tasks) > 1
