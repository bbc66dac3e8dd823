"""Roles: which tools belong to which agent, as the agents' declarations tell."""

import re
from functools import cached_property

from viva.engine.model import TraceAgent
from viva.engine.reading import Reading

LEADS = re.compile(
    r"(?i)planner|planning|orchestrator|manager|coordinator|supervisor|router|dispatcher|triage|team.?lead"
)

RUNS = re.compile(r"(?i)executor|terminal|runner|interpreter|sandbox|environment|proxy")


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
        """Whether an agent only carries out what others write: by its role, or by its name if no role is declared."""
        agent = self.reading.agents.get(agent_id) or TraceAgent(agent_id)
        return RUNS.search(agent.role or title(agent)) is not None

    def lacks(self, agent_id: str, tool: str) -> bool:
        """Whether the tool belongs to others and not to this agent."""
        owners = self.owners.get(tool) or (agent_id,)
        return agent_id not in owners

    def oversteps(self, agent_id: str, tool: str) -> bool:
        """Whether somebody who leads does what another has the tool for."""
        return self.leads(agent_id) and tool in self.delegable


def title(agent: TraceAgent) -> str:
    return f"{agent.role or ''} {agent.id} {agent.name or ''}"
