"""Runs the engine over one stored trace and sums up what lists need. It runs in a process that has the engine loaded."""

from collections import Counter
from collections.abc import Callable

from viva.analyses.model import AgentScores, AnalysisChoices, FindingCount, FinishedAnalysis
from viva.analyses.parts import choose_parts
from viva.engine.analysis import Analysis
from viva.engine.analyze import analyze
from viva.engine.model import Trace
from viva.judging.model import Judge
from viva.traces.reading import decode_trace, pack_content

NO_AGENT = ""  # of a detection in a turn in which nobody acted
SCORE_NAMES = ("overall", "tool_use", "reasoning", "handoff", "response_quality")


def analyse_content(
    content: bytes, choices: AnalysisChoices, judge: Judge | None, on_progress: Callable[[int], None] | None = None
) -> FinishedAnalysis:
    """Analyse a stored trace."""
    return analyse_trace(decode_trace(content), choices, judge, on_progress)


def analyse_trace(
    trace: Trace, choices: AnalysisChoices, judge: Judge | None, on_progress: Callable[[int], None] | None = None
) -> FinishedAnalysis:
    """A judge reports its own progress, since it takes far longer than the engine."""
    asked = judge.with_full_budget() if judge and choices.judge else None
    found = analyze(trace, asked, sentence_model=not choices.fast, on_progress=None if asked else on_progress)
    analysis = choose_parts(found, choices.parts)
    return FinishedAnalysis(
        content=pack_content(analysis),
        engine_version=analysis.engine_version,
        turns=len(analysis.turn_results),
        overall_score=analysis.overall_score,
        task_completion=analysis.task_completion,
        bad_responses=analysis.conversation.bad_responses,
        issues_count=len(analysis.issues),
        agents=agent_scores(trace, analysis),
        findings=count_findings(analysis),
    )


def agent_scores(trace: Trace, analysis: Analysis) -> list[AgentScores]:
    known = {agent.id: agent for agent in trace.agents}
    return [
        AgentScores(
            agent_id,
            known[agent_id].name or agent_id,
            known[agent_id].role,
            interactions=result.interactions_count,
            **{name: getattr(result, name) for name in SCORE_NAMES},
        )
        for agent_id, result in analysis.per_agent_scores.items()
    ]


def count_findings(analysis: Analysis) -> list[FindingCount]:
    """The detections and issues of an analysis, counted by kind and agent."""
    counts = Counter((issue.type, str(issue.severity), issue.agent_id) for issue in analysis.issues)
    for turn in analysis.turn_results:
        if turn.is_bad:
            last = turn.interactions[-1].agent_id if turn.interactions else NO_AGENT
            counts[turn.detection_type, "", last] += 1
    return [FindingCount(*key, occurrences) for key, occurrences in counts.items()]
