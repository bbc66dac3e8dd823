"""The acts of a run: what each interaction is in it, told by what it does and never by an agent's name or role."""

import re
from functools import cached_property
from typing import NamedTuple

from viva.engine.call_text import came_back
from viva.engine.model import Interaction
from viva.engine.outcome.tries import OUTPUT, PROGRAM_FAILED
from viva.engine.reading import Reading
from viva.engine.text.words import words

MAX_INTERACTIONS = 400  # interactions that are looked at: a longer run lost its way long before
THOUGHT, RESPONSE, SEEN = 3_000, 6_000, 3_000  # characters of each text that are looked at
OUTPUT_HEAD = 600  # characters in which an output says that it failed
CLOSING_WORDS = 6  # of a message that only closes or passes on ("done", "next speaker: Ada")
CODE = re.compile(r"```[\w+-]*\n\s*\S")
NAME = re.compile(r"[\w.-]+")
FAILED = re.compile(rf"{PROGRAM_FAILED.pattern}|not found|404|denied|forbidden|timed? ?out|captcha")  # in small letters
PREAMBLE = re.compile(r"exit ?code: 0[^\n]*|code output:", re.I)
NOTHING = frozenset({"", "none", "null", "nan", "0", "not found", "no result", "no results", "no data", "empty"})


class RunAct(NamedTuple):
    """One interaction: what was said, what came back, and whether anything was tried."""

    agent_id: str
    said: str
    low: str  # the same in small letters
    seen: str  # observations and results of calls
    tried: bool  # gave code to run, or called a tool


def act(interaction: Interaction) -> RunAct:
    calls = [step.tool_call for step in interaction.agent_steps if step.tool_call]
    said = "\n".join(text[:RESPONSE] for text in said_texts(interaction)).strip()
    failed = any(call.error for call in calls)
    seen = "\n".join(text[:SEEN] for text in (*(["Error:"] if failed else []), *seen_texts(interaction))).strip()
    if OUTPUT.match(said):
        said, seen = "", said
    return RunAct(interaction.agent_id, said, plain(said), seen, bool(calls) or CODE.search(said) is not None)


def plain(text: str) -> str:
    """A text as the patterns read it: in small letters, with straight quotes."""
    return text.lower().replace("’", "'")


def said_texts(interaction: Interaction) -> list[str]:
    thoughts = [text[:THOUGHT] for step in interaction.agent_steps for text in (step.thought, step.action) if text]
    return [*thoughts, *filter(None, (interaction.agent_response,))]


def seen_texts(interaction: Interaction) -> list[str]:
    """What an interaction shows: observations, and what its calls brought."""
    calls = [step.tool_call for step in interaction.agent_steps if step.tool_call]
    seen = [step.observation for step in interaction.agent_steps if step.observation]
    return [*seen, *map(came_back, calls)]


class Run:
    """The acts of one reading, and what each of them is among the others."""

    def __init__(self, reading: Reading) -> None:
        trace, self.reading = reading.trace, reading
        self.places = reading.places[:MAX_INTERACTIONS]
        self.task = (trace.initial_task or next((t.user_message for t in trace.turns if t.user_message), ""))[:THOUGHT]
        self.known = set(reading.agents)

    @cached_property
    def acts(self) -> list[RunAct]:
        return [act(place.interaction) for place in self.places]

    @cached_property
    def team(self) -> bool:
        return len({place.interaction.agent_id for place in self.places}) > 1

    @cached_property
    def directors(self) -> set[str]:
        """Agents that hand the work over to others by name."""
        return {
            place.interaction.agent_id
            for place in self.places
            for step in place.interaction.agent_steps
            if not self.known.isdisjoint({*NAME.findall((step.action or "")[:200])} - {place.interaction.agent_id})
        }

    @cached_property
    def observes(self) -> list[bool]:
        """Which acts only show an output, as those of an agent that executes what others write."""
        return [not act.said and not act.tried and bool(act.seen) for act in self.acts]

    @cached_property
    def closes(self) -> list[bool]:
        return [
            not observes and not act.tried and len(words(act.said[:400])) <= CLOSING_WORDS
            for act, observes in zip(self.acts, self.observes, strict=True)
        ]

    @cached_property
    def works(self) -> list[bool]:
        """Which acts contribute: not the opening, not a director's, no mere output, no mere closing."""
        return [
            not (observes or closes or (k == 0 and self.team) or act.agent_id in self.directors)
            for k, (act, observes, closes) in enumerate(zip(self.acts, self.observes, self.closes, strict=True))
        ]

    @cached_property
    def contributions(self) -> list[int]:
        return [k for k, works in enumerate(self.works) if works]

    def outcome_at(self, k: int) -> int | None:
        """The act that shows what came of act `k`: itself, or the output right after it."""
        if self.acts[k].tried and self.acts[k].seen:
            return k
        return k + 1 if k + 1 < len(self.acts) and self.observes[k + 1] else None

    def outcome(self, k: int) -> str:
        at = self.outcome_at(k)
        return "" if at is None else self.acts[at].seen

    @cached_property
    def orders(self) -> list[str]:
        """The last order of a director before each act."""
        latest, found = "", []
        for act in self.acts:
            found.append(latest)
            if act.agent_id in self.directors and act.said:
                latest = act.said[:1_500]
        return found


def has_failed(output: str) -> bool:
    return FAILED.search(output[:OUTPUT_HEAD].lower()) is not None


def gave_nothing(output: str) -> bool:
    """Whether an output is there and says nothing: no line, an empty list, a label without its value."""
    rest = PREAMBLE.sub("", output[:300]).strip(" \t\r\n[](){}'\".,;-")
    return (
        bool(output)
        and "\n" not in rest
        and rest.count(":") <= 1
        and rest.rpartition(":")[2].strip(" []{}()'\"").lower() in NOTHING
    )
