"""The page of one agent in one run: every score with its evidence, and its parts turn by turn."""

from dataclasses import dataclass
from pathlib import Path

from litestar import Request, Response, get

from viva.engine.analysis import AgentResult
from viva.engine.model import TraceAgent, answering
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.web import pages
from viva.web.queries import count
from viva.web.run_view import RunView
from viva.web.trace_access import visit
from viva.web.trace_findings import FindingGroup, group_findings
from viva.web.trace_show import TracePage, trace_page
from viva.web.wording import address

PARTS_PER_PAGE = 50
FINDINGS_OF_AGENT_SHOWN = 50  # of one group
MAX_TOOLS_NAMED = 5  # of one part
MAX_PART_CHARACTERS = 400  # of its response


class NoSuchTraceAgent(NotFound):
    """No agent of this trace has this id, or the trace is not analysed yet."""


@dataclass(frozen=True)
class AgentPart:
    """What the agent did in one turn, in short."""

    turn_index: int
    part: int
    score: float | None
    is_bad: bool
    said: str


@dataclass(frozen=True)
class TraceAgentPage:
    whole: TracePage
    run: RunView
    agent: TraceAgent
    result: AgentResult
    parts: list[AgentPart]
    offset: int
    total: int
    groups: list[FindingGroup]

    @property
    def is_owner(self) -> bool:
        return self.whole.is_owner

    @property
    def name(self) -> str:
        return self.agent.name or self.agent.id

    def here(self, offset: int) -> str:
        return address(self.run.links.agent(self.agent.id), offset=offset or "")


@get("/traces/{trace_id:str}/agents/{agent_id:path}")  # an agent's id may have slashes; the path begins with one
async def show_agent(request: Request, trace_id: str, agent_id: Path) -> Response[str]:
    own_id = request.scope["path"].partition("/agents/")[2]

    def read(db: Connection) -> TraceAgentPage:
        return agent_page(trace_page(db, request, visit(db, request, trace_id)), own_id, count(request, "offset"))

    return await pages.show(request, "traces/agent.html", read, is_slow=True)


def agent_page(whole: TracePage, agent_id: str, offset: int) -> TraceAgentPage:
    run = whole.run
    agent = next((agent for agent in run.trace.agents if agent.id == agent_id), None) if run else None
    if run is None or agent is None:
        raise NoSuchTraceAgent()
    parts = list_parts(run, agent_id)
    own = [finding for finding in run.findings if finding.agent_id == agent_id]
    return TraceAgentPage(
        whole=whole,
        run=run,
        agent=agent,
        result=run.analysis.per_agent_scores[agent_id],
        parts=parts[offset : offset + PARTS_PER_PAGE],
        offset=offset,
        total=len(parts),
        groups=group_findings(own, FINDINGS_OF_AGENT_SHOWN),
    )


def list_parts(run: RunView, agent_id: str) -> list[AgentPart]:
    results = {result.turn_index: result for result in run.analysis.turn_results}
    return [
        AgentPart(
            turn.turn_index,
            part,
            results[turn.turn_index].interactions[part].score,
            results[turn.turn_index].is_bad and part == answering(turn),
            sum_up_part(
                act.agent_response or "", [step.tool_call.tool_name for step in act.agent_steps if step.tool_call]
            ),
        )
        for turn in run.trace.turns
        for part, act in enumerate(turn.agent_interactions)
        if act.agent_id == agent_id
    ]


def sum_up_part(response: str, tools: list[str]) -> str:
    called = f"Called {', '.join(dict.fromkeys(tools[:MAX_TOOLS_NAMED]))}. " if tools else ""
    return called + " ".join(response[:MAX_PART_CHARACTERS].split())
