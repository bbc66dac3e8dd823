"""The acts of a run: what each interaction is in it, told by what it does and never by an agent's name or role."""

import re
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from viva.engine.model import Interaction
from viva.engine.reading import Reading, came_back, flat
from viva.engine.text.words import words

MAX_INTERACTIONS = 400  # interactions that are looked at: a longer run lost its way long before
THOUGHT, RESPONSE, SEEN = 3_000, 6_000, 3_000  # characters of each text that are looked at
HEAD = 600  # characters in which an output says that it failed
BARE = 6  # words of a message that only closes or passes on ("done", "next speaker: Ada")

CODE = re.compile(r"```[\w+-]*\n\s*\S")
NAME = re.compile(r"[\w.-]+")
FAILED = re.compile(  # in small letters
    r"execution failed|exit ?code:? ?[1-9]|traceback|(?:error|exception)\b|not found|404|denied|forbidden|timed? ?out"
    r"|captcha|unknown language"
)


class RunAct(NamedTuple):
    """One interaction: what was said, what came back, and whether anything was tried."""

    agent_id: str
    said: str
    low: str  # the same in small letters
    seen: str  # observations and results of calls
    tried: bool  # gave code to run, or called a tool


def act(interaction: Interaction) -> RunAct:
    steps = interaction.agent_steps
    calls = [step.tool_call for step in steps if step.tool_call]
    thoughts = [text[:THOUGHT] for step in steps for text in (step.thought, step.action) if text]
    said = "\n".join([*thoughts, (interaction.agent_response or "")[:RESPONSE]]).strip()
    results = [step.observation for step in steps if step.observation] + [
        f"Error: {call.error}" if call.error else flat(call.result) for call in calls
    ]
    seen = "\n".join(text[:SEEN] for text in results).strip()
    return RunAct(interaction.agent_id, said, plain(said), seen, bool(calls or CODE.search(said)))


def plain(text: str) -> str:
    """A text as the patterns read it: in small letters, with straight quotes."""
    return text.lower().replace("’", "'")


def said_texts(interaction: Interaction) -> list[str]:
    """The texts that `said` is made of, each by itself."""
    thoughts = [text for step in interaction.agent_steps for text in (step.thought, step.action) if text]
    return [*thoughts, *filter(None, (interaction.agent_response,))]


def seen_texts(interaction: Interaction) -> list[str]:
    """The texts that `seen` is made of, each by itself."""
    calls = [step.tool_call for step in interaction.agent_steps if step.tool_call]
    seen = [step.observation for step in interaction.agent_steps if step.observation]
    return [*seen, *filter(None, map(came_back, calls))]


class Run:
    """The acts of one reading, and what each of them is among the others."""

    def __init__(self, reading: Reading) -> None:
        trace = reading.trace
        self.places = reading.places[:MAX_INTERACTIONS]
        self.acts = [act(place.interaction) for place in self.places]
        self.task = (trace.initial_task or next((t.user_message for t in trace.turns if t.user_message), ""))[:THOUGHT]
        self.known = set(reading.agents)

    @cached_property
    def team(self) -> bool:
        return len({act.agent_id for act in self.acts}) > 1

    @cached_property
    def directors(self) -> set[str]:
        """Agents that hand the work over to others by name."""
        return {
            place.interaction.agent_id
            for place in self.places
            for step in place.interaction.agent_steps
            if step.action
            and any(
                name in self.known and name != place.interaction.agent_id for name in NAME.findall(step.action[:200])
            )
        }

    @cached_property
    def observes(self) -> list[bool]:
        """Which acts only show an output, as those of an agent that executes what others write."""
        return [not act.said and not act.tried and bool(act.seen) for act in self.acts]

    @cached_property
    def closes(self) -> list[bool]:
        return [
            not observes and not act.tried and len(words(act.said[:400])) <= BARE
            for act, observes in zip(self.acts, self.observes, strict=True)
        ]

    @cached_property
    def opens(self) -> bool:
        """Whether the first act is the opening of a talk among equals: it sets the task, the others do it."""
        return self.team and not self.directors

    @cached_property
    def works(self) -> list[bool]:
        """Which acts contribute: not the opening, not a director's, no mere output, no mere closing."""
        return [
            not (observes or closes or (k == 0 and self.team) or act.agent_id in self.directors)
            for k, (act, observes, closes) in enumerate(zip(self.acts, self.observes, self.closes, strict=True))
        ]

    @cached_property
    def rank(self) -> dict[int, int]:
        """The contributions in their order."""
        return {k: rank for rank, k in enumerate(k for k, works in enumerate(self.works) if works)}

    @cached_property
    def next_work(self) -> dict[int, int]:
        order = list(self.rank)
        return dict(pairwise(order))

    def outcome_at(self, k: int) -> int | None:
        """The act that shows what came of act `k`: itself, or the output right after it."""
        if self.acts[k].tried and self.acts[k].seen:
            return k
        return k + 1 if k + 1 < len(self.acts) and self.observes[k + 1] else None

    @cached_property
    def outcome(self) -> list[str]:
        places = (self.outcome_at(k) for k in range(len(self.acts)))
        return ["" if at is None else self.acts[at].seen for at in places]

    @cached_property
    def orders(self) -> list[str]:
        """The last order of a director before each act."""
        latest, found = "", []
        for place in self.places:
            found.append(latest)
            if place.interaction.agent_id in self.directors and place.interaction.agent_response:
                latest = place.interaction.agent_response[:1_500]
        return found


def has_failed(output: str) -> bool:
    return bool(output and FAILED.search(output[:HEAD].lower()))
