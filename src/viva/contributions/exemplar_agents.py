"""Agents that answer with the exemplars: one with those that should pass, one with those that should fail."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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
    text = texts.get(item.id)
    if item.kind == "multiple_choice":
        chosen = [line.strip() for line in (text or "").splitlines()]
        return chosen if chosen and set(chosen) <= set(item.options) else keys.get(item.id)
    if item.kind == "choice" and text not in item.options:
        return keys.get(item.id)
    return keys.get(item.id) if text is None else text


def keys_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """The right answers that the config of a benchmark contains."""
    keys: dict[str, Any] = {}
    for question in config.get("questions", ()):
        if question["kind"] in ("choice", "numeric"):
            keys[question["id"]] = question.get("answer")
        elif question["kind"] == "multiple_choice":
            keys[question["id"]] = question["answers"]
        elif question["kind"] == "exact":
            keys[question["id"]] = question["answers"][0]
    return keys


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
