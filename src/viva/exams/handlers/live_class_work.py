"""Live class work: the rows to mark, and the grade with its group part and its own part."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from viva.evaluations.configs import ClassConfig, ClassRow
from viva.evaluations.model import Evaluation
from viva.exams.criteria import Criterion, criteria_of, outcome_of
from viva.exams.handlers.classroom import Classroom, lines_of, own_messages, speaker_names, transcript
from viva.exams.model import Mark, Outcome, SheetRow

OWN_ROW_QUESTION = (
    "Mark only the participant named in the text `participant`. The text `own messages` has its messages."
)


def config_of(evaluation: Evaluation) -> ClassConfig:
    return msgspec.convert(evaluation.config, ClassConfig)


def make_rows(evaluation: Evaluation, room: Classroom) -> list[SheetRow]:
    """The rows of the group, then those of each participant. Ids use numbers, because names may change."""
    config = config_of(evaluation)
    names = speaker_names(room)
    shared = {"task": config.task, "transcript": transcript(room, names)}
    own = [row for row in config.rubric if row.of == "participant"]
    sheet_rows = [row_of(row, "group", shared) for row in config.rubric if row.of == "group"]
    for number, agent_id in enumerate(room.participants, 1):
        texts = shared | {"participant": names[agent_id], "own messages": own_messages(room, agent_id)}
        sheet_rows += [row_of(row, str(number), texts, agent_id) for row in own]
    points_per_mark = points_by_part(config)
    return [msgspec.structs.replace(row, points=points_per_mark[row.agent_id is None] * row.most) for row in sheet_rows]


def row_of(row: ClassRow, prefix: str, texts: dict[str, str], agent_id: str | None = None) -> SheetRow:
    guidance = OWN_ROW_QUESTION if agent_id else ""
    return SheetRow(f"{prefix}/{row.id}", row.criteria, row.max_score, texts, row.id, agent_id, guidance)


def make_outcome(
    evaluation: Evaluation,
    room: Classroom,
    rows: Sequence[SheetRow],
    agent_id: str,
    marks: Iterable[Mark],
    analysis: Mapping[str, Any] | None,
) -> Outcome:
    """The outcome of one participant: 100 points, shared by the group's rows and its own rows.

    If one part has no rows, the other part has all points."""
    config = config_of(evaluation)
    counted = [row for row in rows if row.agent_id in (None, agent_id)]
    ids = {row.id for row in counted}
    own_lines = "\n".join(lines_of(room, speaker_names(room), agent_id))
    own_marks = [keep_own_instructions(mark, own_lines) for mark in marks if mark.row_id in ids]
    criteria = criteria_of(counted, own_marks, config.passing_score)
    group = [each for each, row in zip(criteria, counted, strict=True) if row.agent_id is None]
    own = [each for each, row in zip(criteria, counted, strict=True) if row.agent_id]
    more = {
        "group": grade_part(group),
        "own": grade_part(own),
        "participants": len(room.participants),
        "coordination": without_quotes(analysis and analysis.get("coordination")),
        "agent": without_quotes(analysis and analysis.get("per_agent_scores", {}).get(agent_id)),
    }
    outcome = outcome_of(criteria, config.passing_score, more)
    # Float sums may exceed 100 slightly, and no score may be above its maximum.
    return outcome._replace(score=min(100.0, round(outcome.score or 0.0, 6)), max_score=100.0)


def without_quotes(value: Any) -> Any:
    """What the analysis found, without the quoted words: a result keeps them for ever, and a message may be hidden."""
    if isinstance(value, Mapping):
        return {name: without_quotes(each) for name, each in value.items() if name != "quote"}
    return [without_quotes(each) for each in value] if isinstance(value, list | tuple) else value


def keep_own_instructions(mark: Mark, own_lines: str) -> Mark:
    """The mark with only the participant's own instructions to the judge.

    All messages are in one transcript, but each participant answers only for its own."""
    quotes = mark.notes.get("instructions", [])
    own = [quote for quote in quotes if any(line in own_lines for line in map(str.strip, quote.splitlines()) if line)]
    notes = {name: value for name, value in mark.notes.items() if name != "instructions"}
    return msgspec.structs.replace(mark, notes=notes | ({"instructions": own} if own else {}))


def points_by_part(config: ClassConfig) -> dict[bool, float]:
    """The points, out of 100, of one mark in a group row (True) and in a participant's row (False)."""
    max_marks = {
        part: sum(row.max_score for row in config.rubric if (row.of == "group") == part) for part in (True, False)
    }
    weights = {True: config.group_weight, False: 1 - config.group_weight}
    if 0 in max_marks.values():
        weights = {True: 1.0, False: 1.0}
    return {part: 100 * weights[part] / max_marks[part] for part in (True, False) if max_marks[part]}


def grade_part(criteria: Sequence[Criterion]) -> dict[str, float] | None:
    """The group's or the participant's part of the grade; None if it has no rows."""
    if not criteria:
        return None
    share = sum(each.mark or 0.0 for each in criteria) / sum(each.max for each in criteria)
    return {
        "score": round(100 * share, 6),
        "max_score": 100,
        "weight": round(sum(each.points for each in criteria) / 100, 6),
    }
