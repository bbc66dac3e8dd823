"""One analysed run as pages show it: everything that follows from the trace and its analysis alone."""

from dataclasses import dataclass

from viva.engine.analysis import Analysis, Recommendation
from viva.engine.model import Trace
from viva.reports.answers import RunAnswers, answer_questions
from viva.reports.turn_cards import MAX_CARD_CHARACTERS, TurnCard
from viva.web.trace_conversation import ShownTurn, show_turns
from viva.web.trace_findings import FindingGroup, RunFinding, group_findings, list_findings
from viva.web.trace_handoffs import HandoffGraph, draw_handoffs
from viva.web.trace_links import TraceLinks
from viva.web.trace_timeline import Timeline, draw_timeline
from viva.web.trace_tree import AgentBranch, grow_tree
from viva.web.trace_windows import TurnWindow, window_at

FINDINGS_SHOWN = 8  # of one group
MAX_FINDINGS_SHOWN = 200  # of one group, when all are asked for
AGENTS_SHOWN = 12  # as cards, the weakest first
ADVICE_SHOWN = 12


@dataclass(frozen=True)
class RunView:
    """The parts of a run's page. The conversation, its cards and the timeline have the turns of one window."""

    trace: Trace
    analysis: Analysis
    names: dict[str, str]  # of agents, by id
    links: TraceLinks
    window: TurnWindow
    answers: RunAnswers
    cards: list[TurnCard]
    tree: list[AgentBranch]
    weakest: list[str]  # ids of agents, the lowest score first
    turns: list[ShownTurn]
    findings: list[RunFinding]
    groups: list[FindingGroup]
    timeline: Timeline | None
    graph: HandoffGraph | None
    agents_shown = AGENTS_SHOWN

    @property
    def roles(self) -> dict[str, str]:
        return {agent.id: agent.role or agent.description or "" for agent in self.trace.agents}

    @property
    def has_unsure(self) -> bool:
        return any(finding.is_unsure for group in self.groups for finding in group.findings)

    @property
    def advice(self) -> tuple[Recommendation, ...]:
        return self.analysis.recommendations[:ADVICE_SHOWN]

    def advice_for(self, agent_id: str) -> list[Recommendation]:
        return [piece for piece in self.analysis.recommendations if piece.agent_id == agent_id]


def view_run(
    trace: Trace, analysis: Analysis, path: str, query: dict[str, str], turn_number: int = 0, shows_all: bool = False
) -> RunView:
    window = window_at(trace, turn_number)
    links = TraceLinks(path, trace, query, window.is_whole)
    findings = list_findings(analysis)
    agents = analysis.per_agent_scores
    return RunView(
        trace=trace,
        analysis=analysis,
        names={agent.id: agent.name or agent.id for agent in trace.agents},
        links=links,
        window=window,
        answers=answer_questions(analysis),
        cards=make_cards(trace, analysis, window),
        tree=grow_tree(trace, analysis, window, links),
        weakest=sorted(agents, key=lambda agent_id: score_order(agents[agent_id].overall)),
        turns=show_turns(trace, analysis, findings, window),
        findings=findings,
        groups=group_findings(findings, MAX_FINDINGS_SHOWN if shows_all else FINDINGS_SHOWN),
        timeline=draw_timeline(trace, analysis, window, links),
        graph=draw_handoffs(analysis),
    )


def score_order(score: float | None) -> float:
    """Agents without a score come last."""
    return 2.0 if score is None else score


def make_cards(trace: Trace, analysis: Analysis, window: TurnWindow) -> list[TurnCard]:
    results = {result.turn_index: result for result in analysis.turn_results}
    return [
        TurnCard(results[turn.turn_index], " ".join((turn.user_message or "").split())[:MAX_CARD_CHARACTERS])
        for turn in trace.turns[window.start : window.end]
    ]
