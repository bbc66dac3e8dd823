"""How the calls of each turn serve what was asked in it: which request, which tools, how well."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from viva.engine.calls.asked import Asked, asked
from viva.engine.calls.fit import Fit, fit, fit_in_dialogue, reasons
from viva.engine.calls.history import History, Past
from viva.engine.evidence import Evidence, cut
from viva.engine.heads import head, squash
from viva.engine.model import Tool
from viva.engine.reading import Reading

LATER = 100  # calls of later turns that are looked at for what is asked in one


class Service(NamedTuple):
    """How well the calls of one turn serve it, 0 to 1, and what speaks against them: why, and the words it rests on."""

    fitting: float = 1.0
    against: tuple[tuple[str, str], ...] = ()

    def evidence(self, turn_index: int, interaction_index: int) -> list[Evidence]:
        return [Evidence(why, words, turn_index, interaction_index) for why, words in self.against]


def request_of(reading: Reading, turn: int) -> str:
    trace = reading.trace
    return trace.turns[turn].user_message or (trace.initial_task if turn == 0 else "") or ""


def said_until(reading: Reading, turn: int) -> Asked:
    """All that the user has said so far, the latest first, as one request."""
    return asked("\n".join(request_of(reading, t) for t in range(turn, max(-1, turn - 20), -1)))


def fits_of(reading: Reading, history: History) -> Iterator[tuple[int, list[Past], Fit]]:
    """Each turn that has a request and calls, and how they fit."""
    starts: dict[int, int] = {}
    for k, one in enumerate(history.calls):
        starts.setdefault(one.where[0], k)
    alone = len(reading.trace.turns) == 1
    for (turn, start), end in zip(starts.items(), [*list(starts.values())[1:], len(history.calls)], strict=True):
        message = request_of(reading, turn)
        if message.strip():
            past = history.calls[start:end]
            calls, later = ([one.made for one in some] for some in (past, history.calls[end : end + LATER]))
            yield (
                turn,
                past,
                fit(asked(message), calls, tools_in(reading, history, turn))
                if alone
                else fit_in_dialogue(asked(message), calls, later, partial(said_until, reading, turn)),
            )


def tools_in(reading: Reading, history: History, turn: int) -> list[Tool]:
    """The tools of the agents that act in a turn."""
    acting = dict.fromkeys(act.agent_id for act in reading.trace.turns[turn].agent_interactions)
    return list({name: tool for agent in acting for name, tool in history.tools.get(agent, {}).items()}.values())


def service(one: Fit) -> Service:
    """How well calls serve their request: 1 where nothing speaks against them."""
    weights = head("tool_use")
    against = sum(weights.weights.get(name, 0.0) * value for name, value in one.features.items())
    fitting = (1 - squash(weights.bias + against)) / (1 - squash(weights.bias))
    return Service(fitting, tuple((why, cut(words)) for why, words in reasons(one, weights.weights)))
