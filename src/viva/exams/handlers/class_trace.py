"""The trace of a class for the engine, and the part of its analysis that results show."""

from collections.abc import Iterable, Iterator
from typing import Any

from viva.engine import model as engine
from viva.evaluations.model import Evaluation
from viva.exams.handlers.classroom import ClassMessage, Classroom, speaker_names
from viva.exams.handlers.live_class_work import config_of

MAX_COORDINATION_CASES = 5  # of each kind, in a result


def make_trace(evaluation: Evaluation, room: Classroom) -> engine.Trace:
    """The conversation as a trace: the instructor or the task is the user, and participants answer."""
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
    """A turn begins with a message of the instructor. Earlier messages answer the task."""
    asked, answers, index = [task], list[engine.Interaction](), 0
    for message in said:
        if message.role == "participant":
            answers.append(engine.Interaction(message.agent_id, message.content))
        elif answers:
            yield engine.Turn(index, "\n\n".join(asked), agent_interactions=tuple(answers))
            asked, answers, index = [message.content], [], index + 1
        else:
            asked.append(message.content)
    yield engine.Turn(index, "\n\n".join(asked), agent_interactions=tuple(answers))


def summarize_analysis(analysis: dict[str, Any]) -> dict[str, Any]:
    """The part of an analysis that a result has: the coordination and the scores of each agent."""
    summary: dict[str, Any] = {
        name: analysis[name] for name in ("coordination", "per_agent_scores") if name in analysis
    }
    if isinstance(cases := summary.get("coordination"), dict):
        summary["coordination"] = {
            name: value[:MAX_COORDINATION_CASES] if isinstance(value, list) else value for name, value in cases.items()
        }
    return summary
