"""How the calls of a run serve its request, where one agent's calls answer one short request."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.engine.calls.actions import name_words
from viva.engine.calls.fit import FIT_FEATURES, CallFit, fit
from viva.engine.calls.grounding import CODED
from viva.engine.calls.history import History, Past
from viva.engine.calls.request import MAX_REQUEST_CHARACTERS, parse_request
from viva.engine.evidence import MAX_EVIDENCE_PIECES, cut
from viva.engine.logistic import load_model, squash
from viva.engine.model import Tool
from viva.engine.reading import Reading

MAX_CALLS_FITTED = 20  # a run with more explores; its calls follow from what it finds


class Objection(NamedTuple):
    """What speaks against the calls, and the one it is about, where it is not about all of them."""

    why: str
    call: Past | None


class Service(NamedTuple):
    """How well the calls serve the request, 0 to 1, and what speaks against them."""

    fitting: float = 1.0
    against: tuple[Objection, ...] = ()


def request_of(reading: Reading, turn: int) -> str:
    trace = reading.trace
    return trace.turns[turn].user_message or (trace.initial_task if turn == 0 else "") or ""


def fit_calls(reading: Reading, history: History) -> CallFit | None:
    """How the calls fit the request. None in a dialogue or a team, where one turn asks and the next confirms."""
    message = request_of(reading, 0) if len(reading.trace.turns) == 1 else ""
    agents = {place.interaction.agent_id for place in reading.places}
    is_short = 0 < len(message.strip()) <= MAX_REQUEST_CHARACTERS and len(history.calls) <= MAX_CALLS_FITTED
    if not is_short or len(agents) != 1 or any(map(takes_free_text, history.calls)):
        return None
    tools = list(history.tools.get(agents.pop(), {}).values())
    return fit(parse_request(message), history.calls, tools) if tools else None


def takes_free_text(one: Past) -> bool:
    """Whether a call consists of a command, a query or code, as that of a shell: it can serve any request."""
    texts = [argument for argument in one.arguments if isinstance(argument.value, str)]
    return bool(texts) and all(not CODED.isdisjoint(name_words(argument.parameter)) for argument in texts)


def fit_without_calls(message: str, tools: Sequence[Tool]) -> CallFit | None:
    """How right it is that no tool was called; None where no tool fits either."""
    found = fit(parse_request(message), (), tools)
    return found if found.features["no_call"] else None


def rate_service(fitted: CallFit, past: Sequence[Past] = ()) -> Service:
    """How well calls serve their request: 1 where nothing speaks against them."""
    model = load_model("tool_use")
    fitting = (1 - model.probability(fitted.features)) / (1 - squash(model.bias))
    reasons = model.reasons(fitted.features, FIT_FEATURES)[:MAX_EVIDENCE_PIECES]
    return Service(
        fitting, tuple(make_objection(reason.meaning, fitted.found[reason.name], past) for reason in reasons)
    )


def make_objection(why: str, found: list[str], past: Sequence[Past]) -> Objection:
    """A reason with the words it rests on: the request's, or an argument or a tool of one of the calls."""
    words = ", ".join(dict.fromkeys(filter(None, found)))
    about = (one for one in past if any(argument.quote in found for argument in one.arguments))
    return Objection(f"{why}: {cut(words)}" if words else why, next(about, None))
