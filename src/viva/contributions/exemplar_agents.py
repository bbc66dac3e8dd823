"""Agents that answer with the exemplars: one with those that should pass, one with those that should fail."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from viva.contributions.exam_items import ExamItem
from viva.contributions.sitting import SatExam

ExemplarKey = Literal["pass", "fail"]


def texts_of(exemplars: Sequence[Any], which: ExemplarKey) -> dict[str, str]:
    """The first text of each probe. A draft may hold anything, so other entries are left out."""
    texts: dict[str, str] = {}
    for exemplar in exemplars:
        probe, text = (exemplar.get("probe"), exemplar.get(which)) if isinstance(exemplar, dict) else (None, None)
        if isinstance(probe, str) and isinstance(text, str) and text.strip():
            texts.setdefault(probe, text)
    return texts


def answers_from(items: Sequence[ExamItem], texts: Mapping[str, str], keys: Mapping[str, Any]) -> dict[str, Any]:
    """An exemplar where it fits the item, else the answer that the config gives, else none.

    A handler that takes one answer gets the first exemplar."""
    if len(items) == 1 and items[0].kind == "field":
        return {items[0].id: next(iter(texts.values()), "")}
    if len(items) == 1 and items[0].kind == "message":
        return {items[0].id: list(texts.values())}
    answers = {item.id: fitting_answer(item, texts, keys) for item in items}
    return {item.id: "" if answers[item.id] is None and item.is_required else answers[item.id] for item in items}


def covered_ids(items: Sequence[ExamItem], texts: Mapping[str, str], answers: Mapping[str, Any]) -> set[str]:
    """What the answers cover: items with an answer; in a class, the rows of the rubric that have an exemplar."""
    if any(item.kind == "message" for item in items):
        return set(texts)
    return {id_ for id_, answer in answers.items() if answer not in (None, "")}


def fitting_answer(item: ExamItem, texts: Mapping[str, str], keys: Mapping[str, Any]) -> Any:
    text, key = texts.get(item.id), keys.get(item.id)
    if item.kind == "multiple_choice":
        return next(
            (chosen for chosen in (lines_of(text or ""), key) if chosen and set(chosen) <= set(item.options)), None
        )
    if item.kind == "choice":
        return next((option for option in (text, key) if option in item.options), None)
    return key if text is None else text


def lines_of(text: str) -> list[str]:
    """The choices that an exemplar names: a JSON list, or one in each line."""
    try:
        return msgspec.json.decode(text, type=list[str])
    except msgspec.DecodeError:
        return [line.strip() for line in text.splitlines()]


def keys_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The right answers that the config of a benchmark contains. Those with parameters differ for each attempt."""
    questions = [question for question in config.get("questions", ()) if not question.get("parameters")]
    single = {question["id"]: question["answer"] for question in questions if question["kind"] in ("choice", "numeric")}
    several = {question["id"]: question["answers"] for question in questions if "answers" in question}
    exact = {question["id"]: question["answers"][0] for question in questions if question["kind"] == "exact"}
    return single | several | exact


def covered_criteria(sat: SatExam, covered: set[str]) -> list[Mapping[str, Any]]:
    """The criteria of the items that were answered."""
    return [each for each in sat.data.get("criteria", ()) if each.get("prompt_id") in covered]


def reaches_passing_score(sat: SatExam, covered: set[str]) -> bool:
    """Whether the covered items alone reach the passing share of their points."""
    criteria = covered_criteria(sat, covered)
    if not criteria:
        return sat.passed
    most = sum(each["points"] for each in criteria)
    reached = sum(each["points"] * (each["mark"] or 0) / each["max"] for each in criteria)
    return bool(reached >= sat.data["passing_score"] / 100 * most - 1e-9)  # float sums are not exact
