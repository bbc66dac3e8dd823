"""A benchmark that draws two of its four quick questions and one of its two essays."""

from typing import Any

from tests.exams import quiz

QUICK: list[dict[str, Any]] = [
    {"id": f"quick-{n}", "kind": "exact", "topic": "quick", "text": f"Word {n}?", "answers": [f"secret-{n}"]}
    for n in range(4)
]
ESSAYS: list[dict[str, Any]] = [
    {
        "id": f"essay-{n}",
        "kind": "free_text",
        "topic": "essays",
        "text": f"Essay {n}?",
        "points": 2,
        "criteria": "Names it.",
    }
    for n in range(2)
]
QUESTIONS = [*QUICK, *ESSAYS]
DRAW = {"quick": 2, "essays": 1}
ANSWERS = {f"quick-{n}": f"secret-{n}" for n in range(4)} | {f"essay-{n}": f"hidden thought {n}" for n in range(2)}


def fields(**more: Any) -> dict[str, Any]:
    return quiz.fields(questions=QUESTIONS, draw=DRAW, **more)
