"""The trace of a class, which the engine analyses, and what is kept of the analysis."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import to_builtins

from viva.engine import model as engine
from viva.engine.analysis import Analysis
from viva.evaluations.model import Evaluation
from viva.exams.handlers.classroom import ClassMessage, Classroom, speaker_names
from viva.exams.handlers.live_class_work import config_of

MAX_COORDINATION_CASES = 5  # cases of each kind that a result tells of coordination


def make_trace(evaluation: Evaluation, room: Classroom) -> engine.Trace:
    """The conversation as a recorded run: the instructor, or the task, is the user whom the participants answer."""
    task = config_of(evaluation).task
    speaking = {said.agent_id for said in room.said if said.role == "participant"}
    agents = [agent_id for agent_id in room.names if agent_id in speaking or agent_id in room.participants]
    return engine.Trace(
        id=room.id,
        turns=tuple(make_turns(task, room.said)),
        agents=tuple(
            engine.TraceAgent(agent_id, name) for agent_id, name in speaker_names(room).items() if agent_id in agents
        ),
        initial_task=task,
    )


def make_turns(task: str, said: Iterable[ClassMessage]) -> Iterator[engine.Turn]:
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


def summarize_analysis(analysis: Analysis) -> dict[str, Any]:
    """What is kept of an analysis: how they worked together, and how each did."""
    together = to_builtins(analysis.coordination)
    cases = {
        name: found[:MAX_COORDINATION_CASES] if isinstance(found, list | tuple) else found
        for name, found in together.items()
    }
    return {"coordination": cases, "per_agent_scores": to_builtins(analysis.per_agent_scores)}
