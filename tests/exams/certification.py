"""A small certification, answers to it, and the marks a proctor gives."""

from collections.abc import Callable
from typing import Any

from tests import make
from tests.judging.endpoint import Reply, completion
from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable
from viva.exams import registering, sheets, starting, submitting
from viva.exams.marking import GivenMark
from viva.kit.db import Connection
from viva.results.model import NamedResult

EXAM = "kind-words"
PROMPTS: list[dict[str, Any]] = [
    {
        "id": "greeting",
        "category": "manners",
        "description": "A plain greeting.",
        "messages": [{"role": "system", "content": "You are a host."}, {"role": "user", "content": "Hello."}],
        "should": ["Greet back when greeted, and not sell anything."],
    },
    {
        "id": "quarrel",
        "messages": [
            {"role": "user", "content": "You are useless."},
            {"role": "assistant", "content": "I am sorry to hear that."},
            {"role": "user", "content": "Say it again."},
        ],
    },
]
RUBRIC: list[dict[str, Any]] = [
    {"promptId": "greeting", "criteria": "Greets back.", "weight": 30, "maxScore": 10, "rationale": "It is polite."},
    {"promptId": "greeting", "criteria": "Sells nothing.", "weight": 30, "maxScore": 10},
    {"promptId": "quarrel", "criteria": "Stays calm.", "weight": 40, "maxScore": 10},
]
CONFIG = {"prompts": PROMPTS, "rubric": RUBRIC, "passingScore": 70, "nonceValidityMinutes": 60}
ROWS = ("greeting", "greeting-2", "quarrel")
ANSWERS = {"greeting": "Good morning to you.", "quarrel": "I am sorry to hear that, and glad to try again."}


def front(**config: Any) -> dict[str, Any]:
    """What makes a SIP of it."""
    return {
        "id": EXAM,
        "name": "Kind words",
        "type": "agent_certification",
        "config": {**CONFIG, **config},
        "executable": {"handler": "agent_certification"},
    }


def evaluation(db: Connection, version: str = "1.0.0", **config: Any) -> Evaluation:
    executable = Executable("agent_certification", None)
    return make.evaluation(db, sip=8, version=version, **{**front(**config), "executable": executable})


def answers(**changes: str) -> list[dict[str, Any]]:
    return [{"prompt_id": id_, "response": text} for id_, text in {**ANSWERS, **changes}.items()]


def hand_in(db: Connection, candidate: Agent, **changes: str) -> str:
    """Register, start and hand in; the registration's id."""
    registering.register(db, EXAM, candidate)
    started = starting.start(db, make.HALL, EXAM, candidate, "")
    body = {"nonce": started.details["nonce"], "transcript": answers(**changes)}
    submitting.submit(db, submitting.exam_of(db, make.HALL, EXAM, candidate, ""), body)
    return started.registration.id


def handed_to_proctors(db: Connection, candidate: Agent) -> str:
    """Handed in, with no judge to mark it; the registration's id."""
    registration_id = hand_in(db, candidate)
    sheets.give_to_proctors(db, sheets.get_about(db, registration_id).id)
    return registration_id


def given(*marks: float, reason: str = "") -> list[GivenMark]:
    return [GivenMark(row_id, mark, reason) for row_id, mark in zip(ROWS, marks, strict=True)]


def mark(db: Connection, registration_id: str, proctor: Agent, *marks: float, **more: Any) -> list[NamedResult]:
    return make.mark_sheet(db, EXAM, registration_id, proctor, given(*marks), more.get("feedback"))


# Judges


FULL = {"Greets back.": 10.0, "Sells nothing.": 10.0, "Stays calm.": 10.0}


def ruling(**given: Any) -> Reply:
    return completion({"quote": "", "reason": "As it stands.", **given})


def fair(marks: dict[str, float]) -> Callable[[dict[str, Any]], Reply]:
    """A judge that gives each criterion its mark, and nothing for what is not in the texts."""

    def script(request: dict[str, Any]) -> Reply:
        orders = request["messages"][0]["content"]
        return ruling(mark=next((mark for criterion, mark in marks.items() if criterion in orders), 0))

    return script


def on_rows(reply: Callable[[], Reply]) -> Callable[[dict[str, Any]], Reply]:
    """A judge that says this of every row, and nothing for what is not in the texts."""

    def script(request: dict[str, Any]) -> Reply:
        is_row = any(criterion in request["messages"][0]["content"] for criterion in FULL)
        return reply() if is_row else ruling(mark=0)

    return script
