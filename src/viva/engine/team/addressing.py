"""Addressing: to whom an agent gives the work, by its own words, and whether there is such an agent."""

import re
from collections.abc import Iterator

from viva.engine.model import Interaction, Trace
from viva.engine.team.flow import GIVES

NEXT = re.compile(r"(?i)next[ _]speaker[\"*\s]{0,4}:[\"*\s]{0,4}([A-Za-z][\w -]{1,60})")
MENTION = re.compile(r"(?:^|[\s(])@([A-Za-z][\w-]*\w)\b(?!\.\w)")
PEOPLE = re.compile(
    r"(?i)^(?:the )?(?:human|user|customer|person|people|operator|support|none|null|nobody|all|everyone|everybody|manager)"
)
CROWD = 200  # names beyond which only exact ones are looked for
SHORTEST = 4  # letters of a name that may stand for a longer one
HEAD = 4_000  # characters from each end of a message in which somebody is addressed


def addressees(interaction: Interaction) -> Iterator[tuple[str, bool]]:
    """Whom an agent hands to, each with whether the words can mean nothing else than handing over."""
    for step in interaction.agent_steps[-3:]:
        for words in (step.action, step.tool_call.tool_name if step.tool_call else None):
            if words and (gives := GIVES.match(words.strip()[:100])):
                yield gives[1], True
    text = interaction.agent_response or ""
    if len(text) > 2 * HEAD:
        text = text[:HEAD] + "\n" + text[-HEAD:]
    for match in NEXT.finditer(text):
        yield match[1], True
    if "@" in text:
        for match in MENTION.finditer(text):
            yield match[1], False


def directory(trace: Trace) -> dict[str, set[str]]:
    """Agents by every way of writing their id, name or role."""
    found: dict[str, set[str]] = {}
    for agent in trace.agents:
        for name in (agent.id, agent.name, agent.role):
            if name:
                found.setdefault(plain(name), set()).add(agent.id)
    return found


def agents_meant(name: str, agents: dict[str, set[str]]) -> set[str]:
    """The agents that a name can mean: those called so, else those whose name it shortens or lengthens."""
    wanted = plain(name)
    if wanted in agents or len(agents) > CROWD or len(wanted) < SHORTEST:
        return agents.get(wanted, set())
    near = [ids for key, ids in agents.items() if len(key) >= SHORTEST and (key in wanted or wanted in key)]
    return set().union(*near)


def plain(name: str) -> str:
    """A name without case, spaces and signs, nor "the" before or "agent" after it."""
    bare = "".join(sign for sign in name.lower().removeprefix("the ") if sign.isalnum())
    return bare.removesuffix("agent") or bare


def is_people(name: str) -> bool:
    """Whether a name means no agent: the user, a person, everybody."""
    return PEOPLE.match(name.replace("_", " ").strip()) is not None
