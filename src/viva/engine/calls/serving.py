"""How the calls of each turn serve what was asked in it: which request, which tools, how well."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from viva.engine.calls.asked import Request, parse_request
from viva.engine.calls.fit import CallFit, fit, fit_in_dialogue, reasons
from viva.engine.calls.grounding import argument
from viva.engine.calls.history import History, Past
from viva.engine.evidence import MAX_EVIDENCE_PIECES, cut
from viva.engine.logistic import head, squash
from viva.engine.model import Tool
from viva.engine.reading import Reading

LATER = 100  # calls of later turns that are looked at for what is asked in one


class Objection(NamedTuple):
    """What speaks against the calls of a turn, and the one it is about, where it is not about all of them."""

    why: str
    call: Past | None


class Service(NamedTuple):
    """How well the calls of one turn serve it, 0 to 1, and what speaks against them."""

    fitting: float = 1.0
    against: tuple[Objection, ...] = ()


def request_of(reading: Reading, turn: int) -> str:
    trace = reading.trace
    return trace.turns[turn].user_message or (trace.initial_task if turn == 0 else "") or ""


def said_until(reading: Reading, turn: int) -> Request:
    """All that the user has said so far, the latest first, as one request."""
    return parse_request("\n".join(request_of(reading, t) for t in range(turn, max(-1, turn - 20), -1)))


def fits_of(reading: Reading, history: History) -> Iterator[tuple[int, list[Past], CallFit]]:
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
                fit(parse_request(message), calls, tools_in(reading, history, turn))
                if alone
                else fit_in_dialogue(parse_request(message), calls, later, partial(said_until, reading, turn)),
            )


def tools_in(reading: Reading, history: History, turn: int) -> list[Tool]:
    """The tools of the agents that act in a turn."""
    acting = dict.fromkeys(act.agent_id for act in reading.trace.turns[turn].agent_interactions)
    return list({name: tool for agent in acting for name, tool in history.tools.get(agent, {}).items()}.values())


def service(one: CallFit, past: Sequence[Past] = ()) -> Service:
    """How well calls serve their request: 1 where nothing speaks against them."""
    weights = head("tool_use")
    doubt = sum(weights.weights.get(name, 0.0) * value for name, value in one.features.items())
    fitting = (1 - squash(weights.bias + doubt)) / (1 - squash(weights.bias))
    against = reasons(one, weights.weights)[:MAX_EVIDENCE_PIECES]
    return Service(fitting, tuple(objection(why, words, past) for why, words in against))


def objection(why: str, words: str, past: Sequence[Past]) -> Objection:
    """A reason with the words it rests on: the request's, or an argument or a tool of one of the calls."""
    name = words.partition("=")[0] if "=" in words else words.partition(", ")[0]
    return Objection(
        f"{why}: {cut(words)}" if words else why, next((one for one in past if has(one, name, words)), None)
    )


def has(one: Past, name: str, words: str) -> bool:
    """Whether a call is of the tool named first in some words, or has the argument."""
    return one.call.tool_name == name or any(
        leaf.parameter == name and words.startswith(argument(leaf)) for leaf in one.made.leaves
    )
