"""Which agent is which: by the names that messages speak to, and by the tools and roles that they declare."""

import re
from collections.abc import Iterator
from functools import cached_property

from viva.engine.calls.actions import leaves, name_words
from viva.engine.model import Interaction, ToolCall, TraceAgent
from viva.engine.reading import Reading
from viva.engine.team.flow import GIVES

LEADS = re.compile(
    r"(?i)planner|planning|orchestrator|manager|coordinator|supervisor|router|dispatcher|triage|team.?lead"
)
RUNS = re.compile(r"(?i)executor|terminal|runner|interpreter|sandbox|environment|proxy")
NEXT = re.compile(r"(?i)next[ _]speaker[\"*\s]{0,4}:[\"*\s]{0,4}([A-Za-z][\w -]{1,60})")
PEOPLE = re.compile(
    r"(?i)^(?:the |agent )?(?:human|user|customer|person|people|operator|support|none|null|nobody|all|everyone|everybody|manager)"
)
MAX_AGENTS_NAMED = 100  # agents whose names are looked for; a larger crowd is not spoken to by name
MIN_NAME_LETTERS = 4  # letters of a name that may stand for a longer one
HEAD = 90  # characters at each end of a message in which somebody is addressed by name
WORD_START = re.compile(r"(?<!\w)@?(?=\w)")
MAX_WORDS_BEFORE_NAME = 4
AFTER_NAME = tuple(",:;!?–—-")
GIVING_WORDS = frozenset("hand handoff handover transfer delegate assign route escalate".split())
# Beside these, the name of a handover has only the name of an agent: "transfer_funds" is none.
WORDS_BESIDE = frozenset("off over back to the an agent agents coworker work task control conversation chat".split())


class Roles:
    """Who may do what in one run."""

    def __init__(self, reading: Reading) -> None:
        self.agents = reading.agents
        self.owners: dict[str, set[str]] = {}  # for each declared tool, the agents that have it
        for agent in reading.trace.agents:
            for tool in agent.tools_available or ():
                self.owners.setdefault(tool.name, set()).add(agent.id)

    @cached_property
    def leaders(self) -> set[str]:
        return {agent_id for agent_id, agent in self.agents.items() if LEADS.search(title(agent))}

    @cached_property
    def delegable(self) -> set[str]:
        """The tools that somebody has who does not lead."""
        return {tool for tool, owners in self.owners.items() if not owners <= self.leaders}

    def runs(self, agent_id: str) -> bool:
        """Whether an agent only carries out what others write: by its role, or by its name if no role is declared."""
        agent = self.agents.get(agent_id) or TraceAgent(agent_id)
        return RUNS.search(agent.role or title(agent)) is not None

    def lacks(self, agent_id: str, tool: str) -> bool:
        """Whether the tool belongs to others and not to this agent."""
        return agent_id not in (self.owners.get(tool) or (agent_id,))

    def oversteps(self, agent_id: str, tool: str) -> bool:
        """Whether somebody who leads does what another has the tool for."""
        return agent_id in self.leaders and tool in self.delegable


def title(agent: TraceAgent) -> str:
    return f"{agent.role or ''} {agent.id} {agent.name or ''}"


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
        known = {key: ids for key, ids in self.by_plain.items() if len(key) >= MIN_NAME_LETTERS}
        return set().union(*(ids for key, ids in known.items() if key in wanted or wanted in key))

    def spoken_to(self, text: str) -> str | None:
        """The agent that a message calls by name at its head, or with an @."""
        head = text[:HEAD].lstrip()
        for count, start in enumerate(WORD_START.finditer(head)):
            called = head[start.end() - 1 : start.end()] == "@"
            if not called and count >= MAX_WORDS_BEFORE_NAME:
                break
            for name, agent_id in self.names.items():
                after = head[start.end() + len(name) :][:1] if head.startswith(name, start.end()) else "x"
                if after.startswith(AFTER_NAME) or (called and not after.isalnum()):
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


def hands_over(call: ToolCall, names: Directory) -> bool:
    """Whether a call gives the work to another agent of the run, as "transfer_to_booker": by its name, or by an argument."""
    words = name_words(call.tool_name)
    if GIVING_WORDS.isdisjoint(words):
        return False
    if "to" in words and "".join(words[words.index("to") + 1 :]) in names.by_plain:
        return True
    told = [plain(leaf[:HEAD]) for leaf in leaves(call.parameters)]
    return GIVING_WORDS.union(WORDS_BESIDE).issuperset(words) and any(name in names.by_plain for name in told)
