"""Addressing: which agent a message speaks to, by its name at the head of a sentence, after an @ or in a transfer."""

import re
from collections.abc import Iterator

from viva.engine.model import Interaction
from viva.engine.reading import Reading
from viva.engine.team.flow import GIVES

NEXT = re.compile(r"(?i)next[ _]speaker[\"*\s]{0,4}:[\"*\s]{0,4}([A-Za-z][\w -]{1,60})")
PEOPLE = re.compile(
    r"(?i)^(?:the )?(?:human|user|customer|person|people|operator|support|none|null|nobody|all|everyone|everybody|manager)"
)
MAX_AGENTS_NAMED = 100  # agents whose names are looked for; a larger crowd is not spoken to by name
MIN_NAME_LETTERS = 4  # letters of a name that may stand for a longer one
HEAD = 90  # characters at each end of a message in which somebody is addressed by name
WORD_START = re.compile(r"(?<!\w)@?(?=\w)")
MAX_WORDS_BEFORE_NAME = 4
AFTER_NAME = tuple(",:;!?–—-")


def transfers(interaction: Interaction) -> Iterator[str]:
    """Whom an agent hands the work to, in words that can mean nothing else."""
    for step in interaction.agent_steps[-3:]:
        for words in (step.action, step.tool_call.tool_name if step.tool_call else None):
            if words and (gives := GIVES.match(words.strip()[:100])):
                yield gives[1]
    yield from NEXT.findall((interaction.agent_response or "")[-4_000:])


class Directory:
    """The agents of a trace by their names."""

    def __init__(self, reading: Reading) -> None:
        trace = reading.trace
        self.by_plain: dict[str, set[str]] = {}
        self.names: dict[str, str] = {}
        for agent in trace.agents:
            for name in filter(None, (agent.id, agent.name, agent.role)):
                self.by_plain.setdefault(plain(name), set()).add(agent.id)
            for name in filter(None, (agent.id, agent.name)) if len(trace.agents) <= MAX_AGENTS_NAMED else ():
                if 1 < len(name) <= HEAD:
                    self.names[name] = self.names[name.replace("_", " ")] = agent.id

    def meant_by(self, name: str) -> set[str]:
        """The agents that a name can mean: those called so, else those whose name it shortens or lengthens."""
        wanted = plain(name)
        if wanted in self.by_plain or len(self.by_plain) > 2 * MAX_AGENTS_NAMED or len(wanted) < MIN_NAME_LETTERS:
            return self.by_plain.get(wanted, set())
        near = [
            ids
            for key, ids in self.by_plain.items()
            if len(key) >= MIN_NAME_LETTERS and (key in wanted or wanted in key)
        ]
        return set().union(*near)

    def spoken_to(self, text: str) -> str | None:
        """The agent that a message calls by name at its head, or with an @."""
        head = text[:HEAD].lstrip()
        for count, start in enumerate(WORD_START.finditer(head)):
            called = head[start.end() - 1 : start.end()] == "@"
            if not called and count >= MAX_WORDS_BEFORE_NAME:
                break
            for name, agent_id in self.names.items():
                end = start.end() + len(name)
                if head.startswith(name, start.end()) and (
                    head[end : end + 1].strip().startswith(AFTER_NAME) or (called and not head[end : end + 1].isalnum())
                ):
                    return agent_id
        return None

    def named_in(self, text: str, agent_id: str) -> str | None:
        """The name by which a text speaks of an agent, if it does."""
        for name, owner in self.names.items():
            if owner == agent_id and name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                return name
        return None


def plain(name: str) -> str:
    """A name without case, spaces and signs, nor "the" before or "agent" after it."""
    bare = "".join(sign for sign in name.lower().removeprefix("the ") if sign.isalnum())
    return bare.removesuffix("agent") or bare


def is_people(name: str) -> bool:
    """Whether a name means no agent: the user, a person, everybody."""
    return PEOPLE.match(name.replace("_", " ").strip()) is not None
