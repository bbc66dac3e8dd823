"""Roles: which deeds and words belong to which agent, as the agents' declarations tell."""

import re
from functools import cached_property

from viva.engine.model import TraceAgent
from viva.engine.reading import Reading

LEADS = re.compile(
    r"(?i)planner|planning|orchestrator|manager|coordinator|supervisor|router|dispatcher|triage|team.?lead"
)
RUNS = re.compile(r"(?i)executor|terminal|runner|interpreter|sandbox|tool|environment")
SPECIAL = 5  # words of a role that no other agent shares, from which on the declaration tells agents apart
FOREIGN_SHARE = 0.15  # of all the words, likewise: a long text meets some by chance
FOREIGN = 6  # words of another's speciality, with none of one's own, that make speech out of role


class Roles:
    """Who may do what in one run."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    @cached_property
    def owners(self) -> dict[str, set[str]]:
        """For each declared tool, the agents that have it."""
        found: dict[str, set[str]] = {}
        for agent in self.reading.trace.agents:
            for tool in agent.tools_available or ():
                found.setdefault(tool.name, set()).add(agent.id)
        return found

    @cached_property
    def specialities(self) -> dict[str, str]:
        """Words that stand in the declaration of one agent only, with that agent."""
        trace = self.reading.trace
        task = trace.initial_task or (trace.turns[0].user_message if trace.turns else "") or ""
        common = self.reading.stems(task)  # of the task everybody may speak
        holders: dict[str, str] = {}
        for agent in self.reading.trace.agents:
            for stem in self.reading.stems(declared_task(agent)) - common:
                holders[stem] = "" if stem in holders else agent.id
        return {stem: agent for stem, agent in holders.items() if agent}

    @cached_property
    def told_apart(self) -> set[str]:
        """Agents whose declarations have enough words of their own."""
        counts: dict[str, int] = {}
        for agent in self.specialities.values():
            counts[agent] = counts.get(agent, 0) + 1
        return {agent for agent, count in counts.items() if count >= SPECIAL}

    @cached_property
    def leaders(self) -> set[str]:
        return {agent_id for agent_id, agent in self.reading.agents.items() if LEADS.search(title(agent))}

    @cached_property
    def delegable(self) -> set[str]:
        """The tools that somebody has who does not lead."""
        return {tool for tool, owners in self.owners.items() if not owners <= self.leaders}

    @cached_property
    def first_owners(self) -> dict[str, str]:
        """For each declared tool, the first by name of the agents that have it."""
        return {tool: min(owners) for tool, owners in self.owners.items()}

    def leads(self, agent_id: str) -> bool:
        return agent_id in self.leaders

    def runs(self, agent_id: str) -> bool:
        agent = self.reading.agents.get(agent_id)
        return agent is not None and RUNS.search(title(agent)) is not None

    def lacks(self, agent_id: str, tool: str) -> bool:
        """Whether the tool belongs to others and not to this agent."""
        owners = self.owners.get(tool) or (agent_id,)
        return agent_id not in owners

    def oversteps(self, agent_id: str, tool: str) -> bool:
        """Whether somebody who leads does what another has the tool for."""
        return self.leads(agent_id) and tool in self.delegable

    def speaks_as(self, agent_id: str, stems: frozenset[str]) -> str | None:
        """The other agent whose speciality these words are, when they have nothing of the speaker's own."""
        if agent_id not in self.told_apart or len(self.told_apart) < 2 or self.leads(agent_id) or self.runs(agent_id):
            return None
        hits: dict[str, int] = {}
        for stem in stems & self.specialities.keys():
            owner = self.specialities[stem]
            hits[owner] = hits.get(owner, 0) + 1
        other = max(hits, key=lambda agent: (hits[agent], agent), default=None)
        if other is None or agent_id in hits or self.leads(other):
            return None
        return other if hits[other] >= max(FOREIGN, FOREIGN_SHARE * len(stems)) else None


def declared_task(agent: TraceAgent) -> str:
    """What is said about an agent's task. The first page of a prompt: what follows is manners."""
    return " ".join([agent.role or "", (agent.description or "")[:1_500], *agent.capabilities[:50]])


def title(agent: TraceAgent) -> str:
    return f"{agent.role or ''} {agent.id} {agent.name or ''}"
