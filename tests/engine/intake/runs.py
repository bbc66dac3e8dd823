"""Recorded runs of other tools, read from files as people send them, and told in short."""

from pathlib import Path

from viva.engine.intake import files
from viva.engine.model import Trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FRIDAY = "Bicycle 4711 has a flat tyre. Can you repair it on Friday?"
MONDAY = "Monday is fine. Please book it."


def read_run(path: str) -> Trace:
    """The only trace of a fixture."""
    (item,) = files.read_traces(FIXTURES / path)
    return files.parse(item)


def tell(trace: Trace) -> list[tuple]:
    """What happened in order: the user's words, and each agent's thoughts, calls and answers.

    A call is told as agent, tool, arguments and result; one that failed has its error as a fifth part.
    """
    told: list[tuple] = []
    for turn in trace.turns:
        told.append(("user", turn.user_message))
        for part in turn.agent_interactions:
            for step in part.agent_steps:
                told += [(part.agent_id, "thinks", step.thought)] if step.thought else []
                told += [(part.agent_id, "sees", step.observation)] if step.observation else []
                if call := step.tool_call:
                    made = (part.agent_id, call.tool_name, call.parameters, call.result)
                    told.append((*made, call.error) if call.error else made)
            if part.agent_response is not None:
                told.append((part.agent_id, "says", part.agent_response))
    return told


def speakers(trace: Trace) -> list[list[str]]:
    """The agents of each turn, one for each of its parts."""
    return [[part.agent_id for part in turn.agent_interactions] for turn in trace.turns]
