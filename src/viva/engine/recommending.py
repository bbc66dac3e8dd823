"""Recommendations: advice to the makers of agents, from conditions on scores and from issues."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from viva.engine.analysis import Conversation, Recommendation
from viva.engine.evidence import Issue
from viva.engine.scoring import AGENT_WEIGHTS, DIGITS, SESSION_WEIGHTS, share

LOW = 0.7  # a score below this asks for advice
HIGH = 0.2  # more than one answer in five: no longer an accident
FEW = 3  # issues of one kind that are quoted before the rest is only counted

AGENT_ADVICE = {
    "tool_use": "Consider improving tool selection logic for {agent}",
    "handoff": "Agent {agent} should pass more context when delegating",
    "reasoning": "Agent {agent}'s reasoning could be more structured",
}
SESSION_ADVICE = {
    "coordination": "Agents are not coordinating well - consider clearer role definitions",
    "on_task": "Agents left the goal of their user - treat what tools return as data, never as orders",
}
DETECTION_ADVICE = {
    "rdm": "Users are frequently correcting responses - improve accuracy",
    "ccm": "Users are re-asking questions - improve response completeness",
    "hallucination": "Responses say what their sources do not - answer from the knowledge and tool results given",
    "llm_judge": "The judge finds answers that do not serve the user - read the turns it names",
}


class Kind(NamedTuple):
    """An issue's name in a sentence, and what to do about it."""

    label: str
    advice: str


ISSUES = {
    "UNAUTHORIZED_TOOL": Kind(
        "Unauthorized tool", "Name to {agent} only tools that it has, or declare what it needs: {what}"
    ),
    "PARAMETER_HALLUCINATION": Kind(
        "Tool parameter hallucination", "Validate {agent}'s parameters against the schema before execution: {what}"
    ),
    "MISSING_REQUIRED_PARAM": Kind(
        "Missing required parameter", "Let {agent} ask for what a call requires before it calls: {what}"
    ),
    "INVALID_PARAM_TYPE": Kind(
        "Parameter of a wrong type", "Convert {agent}'s values to the types of the schema: {what}"
    ),
    "INVALID_PARAM_VALUE": Kind(
        "Parameter value not allowed", "Let {agent} choose among the values that the schema allows: {what}"
    ),
    "UNGROUNDED_ARGUMENT": Kind(
        "Argument from nowhere", "Let {agent} take values from the request or from results, or ask for them: {what}"
    ),
    "DUPLICATE_CALL": Kind("Duplicate call", "Let {agent} keep the results it has instead of calling again: {what}"),
    "IGNORED_ERROR": Kind("Ignored error", "Let {agent} read errors and act on them before it goes on: {what}"),
    "REPEATED_FAILURE": Kind("Repeated failure", "Let {agent} change its call after an error, not repeat it: {what}"),
}
SEVERITY_WEIGHTS = {"high": 1.0, "medium": 0.5, "low": 0.2}


def label(issue: Issue) -> str:
    """An issue as a line for a person; turns are counted from 1."""
    return f"{ISSUES[issue.type].label} in turn {issue.turn_index + 1}"


def for_agent(
    agent_id: str, name: str, scores: Mapping[str, float | None], issues: list[Issue]
) -> list[Recommendation]:
    """Advice for one agent: on what it scored low in, and on every kind of issue it has."""
    return [*on_scores(agent_id, name, scores), *on_issues(agent_id, name, scores, issues)]


def on_scores(agent_id: str, name: str, scores: Mapping[str, float | None]) -> Iterator[Recommendation]:
    for part, advice in AGENT_ADVICE.items():
        score = scores[part]
        if score is not None and score < LOW:
            gain = share(part, scores, AGENT_WEIGHTS)
            yield Recommendation(agent_id, advice.format(agent=name), f"{part} is {score:.2f}, below {LOW}", gain)


def on_issues(
    agent_id: str, name: str, scores: Mapping[str, float | None], issues: list[Issue]
) -> Iterator[Recommendation]:
    loss = share("tool_use", scores, AGENT_WEIGHTS)
    total = sum(SEVERITY_WEIGHTS[issue.severity] for issue in issues)
    for type_ in dict.fromkeys(issue.type for issue in issues):
        same = [issue for issue in issues if issue.type == type_]
        what = "; ".join(dict.fromkeys(issue.message for issue in same[:FEW]))
        places = ", ".join(dict.fromkeys(f"turn {issue.turn_index + 1}" for issue in same[:FEW]))
        weight = sum(SEVERITY_WEIGHTS[issue.severity] for issue in same) / total
        because = f"{len(same)} × {ISSUES[type_].label.lower()} ({places})"
        yield Recommendation(agent_id, ISSUES[type_].advice.format(agent=name, what=what), because, loss * weight)


def for_session(scores: Mapping[str, float | None], conversation: Conversation) -> Iterator[Recommendation]:
    """Advice on the run as a whole."""
    for part, advice in SESSION_ADVICE.items():
        score = scores[part]
        if score is not None and score < LOW:
            because = f"{part.replace('_', ' ')} is {score:.2f}, below {LOW}"
            yield Recommendation(None, advice, because, share(part, scores, SESSION_WEIGHTS))
    for kind, advice in DETECTION_ADVICE.items():
        count: int = getattr(conversation, f"{kind}_detections")
        if conversation.total_responses and count / conversation.total_responses > HIGH:
            because = f"{count} of {conversation.total_responses} responses"
            gain = share("conversation", scores, SESSION_WEIGHTS) * count / conversation.bad_responses
            yield Recommendation(None, advice, because, gain)


def advise(
    scores: Mapping[str, float | None], conversation: Conversation, agents: list[list[Recommendation]]
) -> tuple[Recommendation, ...]:
    """All recommendations, the one with most to gain first."""
    everything = [*for_session(scores, conversation), *(advice for one in agents for advice in one)]
    ranked = sorted(everything, key=lambda advice: -advice.impact)
    return tuple(msgspec.structs.replace(advice, impact=round(advice.impact, DIGITS)) for advice in ranked)
