"""A served hub for people who sit exams in a browser, with a benchmark, a certification and the shipped evaluations."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.browser.conftest import HOSTILE
from tests.conftest import fresh_url
from tests.exams import certification, quiz
from tests.hub import Hub

QUESTIONS = [
    *(question for question in quiz.QUESTIONS if question["kind"] != "free_text"),
    {"id": "hostile", "kind": "exact", "text": HOSTILE, "answers": ["safe"]},
]
CHECKS = [{"id": "right", "text": "It is right.", "kind": "exact", "answer": "51"}]
TEXT, PAIRS = "text-by-code", "work-in-pairs"


@contextmanager
def serve_exams(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url("sqlite", request, folder), folder, VIVA_PROOF_HOSTS="example.org") as hub:
        sips = tmp_path_factory.mktemp("sips")
        for number, changes in enumerate(evaluations(), 70):
            hub.evaluation(sips, **changes | {"sip": number})
        yield hub


def evaluations() -> list[dict[str, Any]]:
    return [
        {**quiz.fields(questions=QUESTIONS, shuffle=False), "executable": {"handler": "benchmark"}},
        certification.front(),
        of_type("simple_pass_fail", "text_check", TEXT, challenge="What is 17 times 3?", checks=CHECKS),
        of_type(
            "live_class_work",
            "live_class_work",
            PAIRS,
            task="Plan a day.",
            rubric=[{"id": "plan", "of": "group", "criteria": "There is a plan.", "max_score": 10}],
            min_participants=2,
            max_participants=2,
        ),
    ]


def of_type(type_: str, handler: str, id_: str, **config: Any) -> dict[str, Any]:
    return {"id": id_, "name": id_, "type": type_, "config": config, "executable": {"handler": handler}}
