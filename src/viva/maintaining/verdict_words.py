"""Markers' words in the data of a verdict: the data without them, and the words alone. The data may have any form."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from viva.exams.redacting import without_quotes


class KnownTexts(NamedTuple):
    """What the data of a talk may have that is nobody's remark: texts of criteria by id, ids of prompts, ids of markers."""

    criteria: dict[str, str]
    prompts: frozenset[str]
    markers: frozenset[str]


def is_verdict(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def is_sequences(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, int) for each in value)


# What stays of a row and of a mark, if it has this form. Remarks leave the key, so that the form stays that of a verdict.
ROW_FIELDS: dict[str, Callable[[Any], bool]] = {
    "met": is_verdict,
    **dict.fromkeys(("mark", "max", "points", "most"), is_number),
    "messages": is_sequences,
}
REMARK_KEYS = ("reason", "note", "evidence", "quote")


def keep_known(data: Any, known: KnownTexts) -> Any:
    """The data of a talk, which is what a proctor wrote: criteria of the evaluation with their marks, and who marked."""
    if data is None:
        return None
    kept: dict[str, Any] = {}
    if "criteria" in data:
        kept["criteria"] = [
            keep_row(row, known) for row in dicts_in(data["criteria"]) if is_one_of(row.get("id"), known.criteria)
        ]
    if "markers" in data:
        kept["markers"] = [id_ for id_ in list_in(data["markers"]) if is_one_of(id_, known.markers)]
    return kept


def keep_row(row: dict[str, Any], known: KnownTexts) -> dict[str, Any]:
    text = known.criteria[row["id"]]
    kept = keep_fields(row) | {"id": row["id"]}
    if "text" in row:
        kept["text"] = row["text"] if row["text"] == text.partition("\n")[0] else text
    if "prompt_id" in row:
        kept["prompt_id"] = row["prompt_id"] if is_one_of(row["prompt_id"], known.prompts) else None
    if "marks" in row:
        kept["marks"] = [keep_mark(mark, known) for mark in dicts_in(row["marks"])]
    return kept


def keep_mark(mark: dict[str, Any], known: KnownTexts) -> dict[str, Any]:
    ids = {"row_id": known.criteria, "marker": known.markers}
    kept = keep_fields(mark) | {name: mark[name] for name, of in ids.items() if is_one_of(mark.get(name), of)}
    return kept | ({"notes": {}} if "notes" in mark else {})


def keep_fields(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name in ROW_FIELDS and ROW_FIELDS[name](value)}
    return kept | {name: "" for name in REMARK_KEYS if name in row}


def is_one_of(value: Any, known: Collection[str]) -> bool:
    return isinstance(value, str) and value in known


def without_remarks(data: Any, has_answers_as_evidence: bool) -> Any:
    """The data that the hub made of marks. Only rows with marks have words of markers; the rest is the evaluation's."""
    if data is None:
        return None
    kept = dict(data)
    if "criteria" in data:
        kept["criteria"] = [
            without_reasons(row, has_answers_as_evidence) if row.get("marks") else row
            for row in dicts_in(data["criteria"])
        ]
    if "injections" in data:
        kept["injections"] = without_quotes(list_in(data["injections"]))
    return kept


def without_reasons(row: dict[str, Any], has_answers_as_evidence: bool) -> dict[str, Any]:
    words = ("reason",) if has_answers_as_evidence else ("reason", "evidence")
    return row | {name: "" for name in words if name in row} | {"marks": list(map(silence, dicts_in(row["marks"])))}


def silence(mark: dict[str, Any]) -> dict[str, Any]:
    """The mark without its words. Its notes also say whether the judge passed its control question."""
    kept = mark | {name: "" for name in ("reason", "quote") if name in mark}
    if isinstance(notes := mark.get("notes"), dict):
        kept["notes"] = {name: note for name, note in notes.items() if isinstance(note, bool)}
    return kept


def list_in(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def dicts_in(value: Any) -> list[dict[str, Any]]:
    return [each for each in list_in(value) if isinstance(each, dict)]


def list_words(data: Any, left: Any) -> list[str]:
    """The texts in the data that are not in what is left of it, each once."""
    stayed = set(texts_in(left))
    return [text for text in dict.fromkeys(texts_in(data)) if text and text not in stayed]


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
