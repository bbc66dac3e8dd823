"""Validation of a SIP with 200 questions, sound and with a fault in every question, beside plain YAML parsing."""

from statistics import median
from time import perf_counter
from typing import Any

import yaml

from viva.evaluations.sip_yaml import read
from viva.evaluations.templates import load_template
from viva.evaluations.validation import KnownCatalogue, validate

QUESTIONS, ROUNDS = 200, 20


def run() -> None:
    sound = read(load_template("complex_benchmark"))
    sound.front["config"]["questions"] = [question(number) for number in range(QUESTIONS)]
    del sound.front["research_mapping"]
    sound.front["exemplars"] = [
        {"probe": f"question-{number}", "pass": "Yes", "fail": "No"} for number in range(QUESTIONS)
    ]
    wrong = {
        **sound.front,
        "config": {**sound.front["config"], "questions": [broken(number) for number in range(QUESTIONS)]},
    }
    text = yaml.dump(sound.front, sort_keys=False)
    known = KnownCatalogue()
    found = validate(wrong, sound.body, "contribution", known)
    assert validate(sound.front, sound.body, "contribution", known) == ([], [])
    print(
        f"  the document has {len(text.encode()) / 1000:,.0f} kB; with a fault in each question {len(found.errors)} errors are listed"
    )
    for name, work in {
        "plain YAML parsing": lambda: yaml.load(text, Loader=yaml.CSafeLoader),
        "reading as a SIP": lambda: read(f"---\n{text}---\n"),
        "validation, sound": lambda: validate(sound.front, sound.body, "contribution", known),
        "validation, a fault in each question": lambda: validate(wrong, sound.body, "contribution", known),
    }.items():
        print(f"  {name:<38} median {time_of(work) * 1000:7.2f} ms")


def question(number: int) -> dict[str, Any]:
    text = f"Number {number}: a question of about the length that questions have, with a few words more to read."
    return {
        "id": f"question-{number}",
        "kind": "choice",
        "text": text,
        "options": ["Yes", "No", "Perhaps"],
        "answer": "Yes",
    }


def broken(number: int) -> dict[str, Any]:
    return question(number) | {"points": "many", "answr": "Yes"}


def time_of(work: Any) -> float:
    times = []
    for _ in range(ROUNDS):
        started = perf_counter()
        work()
        times.append(perf_counter() - started)
    return median(times)
