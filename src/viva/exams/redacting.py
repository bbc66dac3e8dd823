"""What a result's data shows to somebody who may not see all of it: marks for everybody, answers for their candidate."""

from typing import Any, Literal, NamedTuple

from viva.exams.handlers.traits import traits_of

VisiblePart = Literal["all", "own", "marks"]

OPEN_KEYS = frozenset(
    {
        "passing_score",
        "judges",
        "markers",
        "questions",
        "answered",
        "unscored",
        "is_undecided",
        "agreement",
        "group",
        "own",
        "participants",
        "coordination",
        "agent",
    }
)
MARK_KEYS = ("id", "prompt_id", "met", "mark", "max", "points")
MARKER_KEYS = ("row_id", "marker", "mark", "most")


class HiddenItems(NamedTuple):
    """The items whose answers are hidden: some ids, or all items if `ids` is None."""

    ids: frozenset[str] | None

    def __bool__(self) -> bool:
        return self.ids is None or bool(self.ids)

    def has(self, criterion_id: str, prompt_id: str | None = None) -> bool:
        """Whether the criterion is about a hidden item. Rows of one probe are numbered; rows of a class have a prefix."""
        if self.ids is None:
            return True
        names = (criterion_id, prompt_id, criterion_id.rpartition("/")[2], criterion_id.rpartition("-")[0])
        return any(name in self.ids for name in names)


NOTHING_HIDDEN, ALL_HIDDEN = HiddenItems(frozenset()), HiddenItems(None)


def redact_data(
    data: dict[str, Any] | None, handler: str, hidden: HiddenItems, part: VisiblePart
) -> dict[str, Any] | None:
    """The data with the marks of hidden items only; their candidate sees its own answers too."""
    if data is None or part == "all" or not hidden:
        return data
    shown = {key: value for key, value in data.items() if key in OPEN_KEYS}
    rows = data.get("criteria")
    if isinstance(rows, list):
        shown["criteria"] = [redact_row(row, handler, hidden, part) for row in rows if isinstance(row, dict)]
    if isinstance(data.get("injections"), list):
        shown["injections"] = data["injections"] if part == "own" else without_quotes(data["injections"])
    return shown


def redact_row(row: dict[str, Any], handler: str, hidden: HiddenItems, part: VisiblePart) -> dict[str, Any]:
    if not hidden.has(str(row.get("id", "")), row.get("prompt_id")):
        return row
    traits = traits_of(handler)
    if traits.has_public_marks:
        return row | {"text": ""}
    marks = row.get("marks") if isinstance(row.get("marks"), list) else None
    shown = {key: row[key] for key in MARK_KEYS if key in row} | {"text": "", "reason": "", "evidence": ""}
    if part == "own":
        shown["evidence"] = row.get("evidence", "")
        shown["text"] = "" if traits.shows_rubric else row.get("text", "")
        shown["reason"] = "" if marks else row.get("reason", "")  # code never tells the right answer; a marker might
    return shown if marks is None else shown | {"marks": [redact_mark(mark) for mark in marks]}


def redact_mark(mark: Any) -> dict[str, Any]:
    given = mark if isinstance(mark, dict) else {}
    return {key: given[key] for key in MARKER_KEYS if key in given}


def without_quotes(injections: list[Any]) -> list[Any]:
    """That an answer tried to instruct the judge is public. Its words are for its candidate."""
    return [each | {"quotes": []} for each in injections if isinstance(each, dict)]


def hides_feedback(handler: str, hidden: HiddenItems, part: VisiblePart) -> bool:
    """Whether the words of a marker stay hidden: they may quote an answer. A talk is public, and so is its feedback."""
    return part == "marks" and bool(hidden) and not traits_of(handler).has_public_marks
