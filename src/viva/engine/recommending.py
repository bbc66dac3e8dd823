"""Makes recommendations for developers of agents, from low scores and from issues."""

from collections.abc import Iterator, Mapping

import msgspec

from viva.engine.analysis import ConversationCounts, Recommendation
from viva.engine.evidence import Issue
from viva.engine.scoring import AGENT_WEIGHTS, SCORE_DIGITS, SESSION_WEIGHTS, share
from viva.engine.wording import AGENT_ADVICE, DETECTIONS, ISSUES, SESSION_ADVICE

ADVICE_SCORE = 0.7  # a score below this asks for advice
ADVICE_FAILURE_RATE = 0.2  # more than one answer in five is no accident
MAX_ISSUES_QUOTED = 3  # of one kind; the others are only counted

SEVERITY_WEIGHTS = {"HIGH": 1.0, "MEDIUM": 0.5, "LOW": 0.2}


def label(issue: Issue) -> str:
    """An issue as a line for people. Turns are counted from 1."""
    return f"{ISSUES[issue.type].label} in turn {issue.turn_index + 1}"


def for_agent(
    agent_id: str, name: str, scores: Mapping[str, float | None], issues: list[Issue]
) -> list[Recommendation]:
    low = on_scores(AGENT_ADVICE, scores, AGENT_WEIGHTS, agent_id, name)
    return [*low, *on_issues(agent_id, name, scores, issues)]


def on_scores(
    table: Mapping[str, str],
    scores: Mapping[str, float | None],
    weights: Mapping[str, float],
    agent_id: str | None = None,
    name: str = "",
) -> Iterator[Recommendation]:
    for part, advice in table.items():
        score = scores[part]
        if score is not None and score < ADVICE_SCORE:
            because = f"{part.replace('_', ' ')} is {score:.2f}, below {ADVICE_SCORE}"
            yield Recommendation(agent_id, advice.format(agent=name), because, share(part, scores, weights))


def on_issues(
    agent_id: str, name: str, scores: Mapping[str, float | None], issues: list[Issue]
) -> Iterator[Recommendation]:
    loss = share("tool_use", scores, AGENT_WEIGHTS)
    total = sum(SEVERITY_WEIGHTS[issue.severity] for issue in issues)
    for type_ in dict.fromkeys(issue.type for issue in issues):
        same = [issue for issue in issues if issue.type == type_]
        what = "; ".join(dict.fromkeys(issue.message for issue in same[:MAX_ISSUES_QUOTED]))
        places = ", ".join(dict.fromkeys(f"turn {issue.turn_index + 1}" for issue in same[:MAX_ISSUES_QUOTED]))
        weight = sum(SEVERITY_WEIGHTS[issue.severity] for issue in same) / total
        because = f"{len(same)} × {ISSUES[type_].label.lower()} ({places})"
        yield Recommendation(agent_id, ISSUES[type_].advice.format(agent=name, what=what), because, loss * weight)


def for_session(scores: Mapping[str, float | None], conversation: ConversationCounts) -> Iterator[Recommendation]:
    """Advice on the run as a whole."""
    yield from on_scores(SESSION_ADVICE, scores, SESSION_WEIGHTS)
    for kind, (_, advice) in DETECTIONS.items():
        count: int = getattr(conversation, f"{kind}_detections", 0)  # a turn of kind "none" has no count
        if conversation.total_responses and count / conversation.total_responses > ADVICE_FAILURE_RATE:
            because = f"{count} of {conversation.total_responses} responses"
            gain = share("conversation", scores, SESSION_WEIGHTS) * count / conversation.bad_responses
            yield Recommendation(None, advice, because, gain)


def advise(
    scores: Mapping[str, float | None], conversation: ConversationCounts, agents: list[list[Recommendation]]
) -> tuple[Recommendation, ...]:
    everything = [*for_session(scores, conversation), *(advice for one in agents for advice in one)]
    ranked = sorted(everything, key=lambda advice: -advice.impact)
    return tuple(msgspec.structs.replace(advice, impact=round(advice.impact, SCORE_DIGITS)) for advice in ranked)
