"""Live class work: what of a conversation is marked, the grade that group and participant share, and its trace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, to_builtins

from viva.engine import model as engine
from viva.evaluations.configs import ClassConfig, ClassRow
from viva.evaluations.model import Evaluation
from viva.exams.marks import Criterion, criteria_of, outcome_of
from viva.exams.model import Mark, Outcome, Row

if TYPE_CHECKING:
    from viva.engine.analysis import Analysis

LONGEST_MESSAGE = 2_000  # characters of one message that are marked
LONGEST_TEXT = 12_000  # characters of a text that a marker reads: as much as a judge is given
SHOWN = 5  # cases of each kind that a result tells of coordination
OWN = "Mark this for the one participant who is named in the text `participant`; the text `own messages` has what it said."


class Said(Struct, frozen=True):
    agent_id: str
    role: str
    content: str


class Classroom(Struct, frozen=True):
    """What there is of a class when it is over."""

    id: str
    names: dict[str, str]  # of everybody who was in the session, by agent
    participants: list[str]  # agents who stayed, in the order in which they joined
    said: list[Said]
    left_out: int = 0  # messages in the middle of a very long class


# What is marked


def rows(evaluation: Evaluation, room: Classroom) -> list[Row]:
    """The group's rows once, then each participant's; by their numbers, since names may change."""
    config = msgspec.convert(evaluation.config, ClassConfig)
    named = speakers(room)
    shared = {"task": config.task, "transcript": transcript(room, named)}
    own = [row for row in config.rubric if row.of == "participant"]
    found = [row_of(row, "group", shared) for row in config.rubric if row.of == "group"]
    for number, agent_id in enumerate(room.participants, 1):
        texts = shared | {"participant": named[agent_id], "own messages": own_messages(room, agent_id)}
        found += [row_of(row, str(number), texts, agent_id) for row in own]
    return found


def row_of(row: ClassRow, whose: str, texts: dict[str, str], agent_id: str | None = None) -> Row:
    guidance = OWN if agent_id else ""
    return Row(f"{whose}/{row.id}", row.criteria, row.max_score, texts, row.id, agent_id, guidance)


def speakers(room: Classroom) -> dict[str, str]:
    """A name for everybody, numbered where several have the same, as deleted agents do."""
    given = list(room.names.values())
    return {
        agent_id: name if given.count(name) == 1 else f"{name} {number}"
        for number, (agent_id, name) in enumerate(room.names.items(), 1)
    }


def transcript(room: Classroom, named: Mapping[str, str]) -> str:
    lines = lines_of(room, named)
    middle = len(lines) // 2
    if room.left_out:
        lines.insert(middle, left_out(room.left_out))
    return fitting(lines)


def lines_of(room: Classroom, named: Mapping[str, str], agent_id: str | None = None) -> list[str]:
    """What everybody said, or one agent, with the speaker's name."""
    heard = [said for said in room.said if agent_id in (None, said.agent_id)]
    return [f"{named.get(said.agent_id, '')}: {as_one(said.content)}" for said in heard]


def own_messages(room: Classroom, agent_id: str) -> str:
    return fitting([as_one(said.content) for said in room.said if said.agent_id == agent_id])


def as_one(content: str) -> str:
    """One message as one entry: its further lines are set in, so that none of them can pass for another's message."""
    if len(content) > LONGEST_MESSAGE:
        content = f"{content[:LONGEST_MESSAGE]} [cut off here]"
    return "\n    ".join(content.splitlines())


def fitting(lines: Sequence[str]) -> str:
    """The lines as one text; of a long one the beginning and the end, with a note of what is missing between them."""
    if sum(len(line) + 1 for line in lines) <= LONGEST_TEXT:
        return "\n".join(lines)
    first = within(lines, LONGEST_TEXT // 2)
    last = within(lines[::-1], LONGEST_TEXT // 2)[::-1]
    return "\n".join([*first, left_out(len(lines) - len(first) - len(last)), *last])


def within(lines: Iterable[str], room: int) -> list[str]:
    taken = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def left_out(count: int) -> str:
    return f"[{count} messages left out]"


# The shared grade


def outcome(
    evaluation: Evaluation,
    room: Classroom,
    rows: Sequence[Row],
    agent_id: str,
    marks: Iterable[Mark],
    analysis: Mapping[str, Any] | None,
) -> Outcome:
    """One participant's: 100 points shared by the group's rows and its own; a part without rows leaves them to the other."""
    config = msgspec.convert(evaluation.config, ClassConfig)
    counted = [row for row in rows if row.agent_id in (None, agent_id)]
    ids = {row.id for row in counted}
    own_lines = "\n".join(lines_of(room, speakers(room), agent_id))
    given = [held_against(mark, own_lines) for mark in marks if mark.row_id in ids]
    criteria = criteria_of(counted, points(counted, config.group_weight), given, config.passing_score)
    group = [each for each, row in zip(criteria, counted, strict=True) if row.agent_id is None]
    own = [each for each, row in zip(criteria, counted, strict=True) if row.agent_id]
    more = {
        "group": part(group),
        "own": part(own),
        "participants": len(room.participants),
        "coordination": analysis and analysis.get("coordination"),
        "agent": analysis and analysis.get("per_agent_scores", {}).get(agent_id),
    }
    found = outcome_of(criteria, config.passing_score, more)
    # The parts of 100 do not add up to it exactly, and no score may be above its maximum.
    return found._replace(score=min(100.0, round(found.score or 0.0, 6)), max_score=100.0)


def held_against(mark: Mark, own_lines: str) -> Mark:
    """The mark without words to the judge that others said: all stand in one transcript, and each answers for its own."""
    found = mark.notes.get("instructions", [])
    own = [quote for quote in found if any(line in own_lines for line in map(str.strip, quote.splitlines()) if line)]
    notes = {name: value for name, value in mark.notes.items() if name != "instructions"}
    return msgspec.structs.replace(mark, notes=notes | ({"instructions": own} if own else {}))


def points(rows: Sequence[Row], group_weight: float) -> list[float]:
    """What each row is worth of 100."""
    most = {is_group: sum(row.most for row in rows if (row.agent_id is None) == is_group) for is_group in (True, False)}
    weights = {True: group_weight, False: 1 - group_weight}
    if 0 in most.values():
        weights = {True: 1.0, False: 1.0}
    return [100 * weights[row.agent_id is None] * row.most / most[row.agent_id is None] for row in rows]


def part(criteria: Sequence[Criterion]) -> dict[str, float] | None:
    """The group's or the participant's part of the grade; None where it has no rows."""
    if not criteria:
        return None
    share = sum(each.mark or 0.0 for each in criteria) / sum(each.max for each in criteria)
    return {
        "score": round(100 * share, 6),
        "max_score": 100,
        "weight": round(sum(each.points for each in criteria) / 100, 6),
    }


# For the engine


def trace(evaluation: Evaluation, room: Classroom) -> engine.Trace:
    """The conversation as a recorded run: the instructor, or the task, is the user whom the participants answer."""
    task = msgspec.convert(evaluation.config, ClassConfig).task
    speaking = {said.agent_id for said in room.said if said.role == "participant"}
    agents = [agent_id for agent_id in room.names if agent_id in speaking or agent_id in room.participants]
    return engine.Trace(
        id=room.id,
        turns=tuple(turns(task, room.said)),
        agents=tuple(engine.Agent(agent_id, name) for agent_id, name in speakers(room).items() if agent_id in agents),
        initial_task=task,
    )


def turns(task: str, said: Iterable[Said]) -> Iterator[engine.Turn]:
    """A turn begins with what the instructor says; what is said before that answers the task."""
    asked, answers, index = [task], list[engine.Interaction](), 0
    for each in said:
        if each.role == "participant":
            answers.append(engine.Interaction(each.agent_id, each.content))
        elif answers:
            yield engine.Turn(index, "\n\n".join(asked), agent_interactions=tuple(answers))
            asked, answers, index = [each.content], [], index + 1
        else:
            asked.append(each.content)
    yield engine.Turn(index, "\n\n".join(asked), agent_interactions=tuple(answers))


def summary(analysis: "Analysis") -> dict[str, Any]:
    """What is kept of an analysis: how they worked together, and how each did."""
    together = to_builtins(analysis.coordination)
    cases = {name: found[:SHOWN] if isinstance(found, list | tuple) else found for name, found in together.items()}
    return {"coordination": cases, "per_agent_scores": to_builtins(analysis.per_agent_scores)}
