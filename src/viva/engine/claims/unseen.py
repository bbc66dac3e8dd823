"""Facts of an answer that nothing the agents saw or were told bears out; for runs with tool results but no knowledge."""

import re

from viva.engine import wording
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.model import Trace, Turn
from viva.engine.reading import flat
from viva.engine.text.names import find_quotations, identifiers, names
from viva.engine.text.numbers import NUMBER, numbers

KEPT = 60_000  # characters of what was seen that are looked through, the latest; older ones seldom matter
LOOKED = 8_000  # characters of an answer
FACTS = 30  # of one kind in one answer
PIECES = 5
SPEECH = re.compile(r"(?:I|I'm|I've|I'll|I'd|Is|If|The|This|It|Please|Here|Let|You|Your|We|Yes|No|OK|Ok)\b")
# How likely an unknown fact of a kind is made up: a code is copied or wrong, a number may have been worked out,
# and a capital letter is often mere style.
WEIGHT = {"code": 0.6, "quotation": 0.3, "number": 0.25, "name": 0.12}
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
MONTHS = frozenset(
    "January February March April May June July August September October November December".split()
)  # a tool writes the same date in digits
LITTLE = 12  # whole numbers up to here count things and need no source


class SeenFacts:
    """What the agents saw and were told so far."""

    def __init__(self, trace: Trace) -> None:
        self.results = False
        told = [trace.initial_task or ""]
        for agent in trace.agents[:20]:
            told += [agent.description or "", *(tool.name for tool in (agent.tools_available or ())[:200])]
        self._text = "\n".join(told).lower()[-KEPT:]
        self._heard: list[list[str]] = []  # what was not needed yet
        self._unread = [self._text]
        self._numbers: set[float] = set()

    def hear(self, turn: Turn) -> None:
        """Add what a turn brought."""
        parts = [turn.user_message or "", turn.knowledge or ""]
        for step in (step for act in turn.agent_interactions for step in act.agent_steps):
            call = step.tool_call
            seen = [step.observation or "", flat(call.result) if call else "", (call.error or "") if call else ""]
            self.results |= any(seen)
            parts += [*seen, call.tool_name if call else "", flat(call.parameters) if call else ""]
        self._heard.append(parts)

    def _remember(self) -> None:
        """Take in what was heard since it was last asked for."""
        for parts in self._heard:
            new = "\n".join(part[-KEPT:].lower() for part in parts if part)[-KEPT:]
            self._text = f"{self._text}\n{new}"[-KEPT:]
            self._unread.append(new)
        self._heard.clear()

    def has(self, fact: str) -> bool:
        self._remember()
        return fact.lower() in self._text

    def has_number(self, value: float) -> bool:
        """Whether a number was seen, or is the sum, difference or product of two that were."""
        self._remember()
        for text in self._unread:
            self._numbers |= numbers(text)
        self._unread.clear()
        seen = self._numbers
        if value in seen:
            return True
        return any(
            round(made, 2) in seen for one in seen for made in (value - one, value + one, value / one if one else value)
        )


def unknown_facts(turn: Turn, place: int, response: str, known: SeenFacts) -> Signal:
    """The probability that an answer states facts nobody gave it, by how many and of which kinds."""
    unknown = [(kind, fact) for kind, fact in facts(response[:LOOKED]) if not borne_out(kind, fact, known)]
    probability, told = 0.02, []
    for kind, fact in unknown:
        probability = 1 - (1 - probability) * (1 - WEIGHT[kind])
        told.append(
            Evidence(
                wording.FACT_NOT_SEEN.format(kind=kind, fact=cut(fact, 60)),
                around(response, fact),
                turn.turn_index,
                place,
            )
        )
    reason = told[0].why if told else wording.FACTS_SEEN
    return Signal(probability, reason, tuple(told[:PIECES]))


def facts(response: str) -> list[tuple[str, str]]:
    """What a reader could check, as kind and words; each once."""
    found = [
        ("number" if fact.isdigit() else "code", fact)
        for fact in identifiers(response)[:FACTS]
        if not ORDINAL.fullmatch(fact)
    ]
    found += [("quotation", fact) for fact in find_quotations(response)[:FACTS] if " " in fact]
    found += [("number", match[0].strip()) for match in NUMBER.finditer(response)][:FACTS]
    found += [("name", fact) for fact in names(response)[:FACTS] if not SPEECH.match(fact) and fact not in MONTHS]
    seen: dict[str, str] = {}
    for kind, fact in found:
        seen.setdefault(fact.strip("$€£+"), kind)
    return [(kind, fact) for fact, kind in seen.items()]


def borne_out(kind: str, fact: str, known: SeenFacts) -> bool:
    if known.has(fact):
        return True
    if kind == "name":
        return all(
            known.has(part.removesuffix("'s")) for part in fact.split() if part[0].isupper() and part not in MONTHS
        )
    values = numbers(fact) if kind in ("number", "code") else set()
    return bool(values) and all(
        (value.is_integer() and abs(value) <= LITTLE) or known.has_number(value) for value in values
    )


def around(text: str, fact: str) -> str:
    at = max(0, text.find(fact))
    return cut(text[max(0, at - 80) : at + 120])
