"""Tool use: are the calls allowed, well formed, grounded and repaired, and do they fit what was asked."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from viva.engine.calls.asked import parse_request
from viva.engine.calls.contracts import Breach, breaches, make_breach, quote
from viva.engine.calls.failures import has_failed, last_success, troubles
from viva.engine.calls.fit import CallFit, fit
from viva.engine.calls.grounding import doubts
from viva.engine.calls.history import History, Past
from viva.engine.calls.serving import Service, fits_of, request_of, said_until, service, tools_in
from viva.engine.evidence import Evidence, InteractionIndex, Issue, Score, Severity, cut
from viva.engine.model import Interaction
from viva.engine.reading import Reading, came_back, interaction_text
from viva.engine.wording import ISSUES, UNREPAIRED_CALL

COSTS: dict[Severity, float] = {"high": 0.8, "medium": 0.5, "low": 0.1}  # of what one call is worth
COUNTED_ELSEWHERE = ("UNGROUNDED_ARGUMENT",)  # it already speaks against the fit
UNREPAIRED = 0.3  # a call that failed for good did not do its work, even where the agent says so
PIECES = 5  # of evidence for a number
ENDING = 200  # characters in which an answer asks back
TURNS = 50  # turns without a call that are looked at
CallBreaches = list[tuple[Past, Breach]]


class ToolUse(msgspec.Struct, frozen=True):
    """How tools were used in a trace, in each interaction that called one or should have, and what was wrong."""

    total: Score
    by_interaction: dict[InteractionIndex, Score]
    issues: list[Issue]


def measure(reading: Reading) -> ToolUse:
    """The tool use of a trace. The total is None where nobody has tools and nobody calls one."""
    history = History(reading)
    if not history.calls:
        return score_without_calls(reading, history)
    served: dict[int, Service] = {}
    found: CallBreaches = [*contract_breaches(reading, history), *troubles(history)]
    for turn, past, one in fits_of(reading, history):
        served[turn] = service(one, past)
        found += ungrounded_arguments(reading, turn, past, one)
    mine: dict[InteractionIndex, CallBreaches] = {}
    for call, breach in found:
        mine.setdefault(call.where, []).append((call, breach))
    lost: dict[InteractionIndex, dict[int, str]] = {}
    for (where, k), back in unrepaired_calls(history.calls).items():
        lost.setdefault(where, {})[k] = back
    groups = by_place(history)
    scores = {
        (t, i): score(reading.turn_index(t), own, mine.get((t, i), []), lost.get((t, i), {}), served.get(t, Service()))
        for (t, i), own in groups.items()
    }
    counts = [len(own) for own in groups.values()]
    return ToolUse(total(list(scores.values()), counts), scores, issues(reading, found))


def by_place(history: History) -> dict[InteractionIndex, list[Past]]:
    groups: dict[InteractionIndex, list[Past]] = {}
    for one in history.calls:
        groups.setdefault(one.where, []).append(one)
    return groups


# What is wrong with single calls


def contract_breaches(reading: Reading, history: History) -> Iterator[tuple[Past, Breach]]:
    """Breaches of what the agents declare."""
    for one in history.calls:
        agent = reading.agents.get(one.agent_id)
        if agent is not None:
            yield from ((one, breach) for breach in breaches(agent, history.tools[agent.id], one.call))


def ungrounded_arguments(
    reading: Reading, turn: int, past: list[Past], fitted: CallFit
) -> Iterator[tuple[Past, Breach]]:
    """Arguments of a turn's calls that come from nowhere."""
    if not fitted.found["required_ungrounded"] and not fitted.found["optional_ungrounded"]:
        return
    said = said_until(reading, turn)
    for one in past:
        for kind, words in doubts(said, one.made):
            if kind.endswith("_ungrounded"):
                yield one, from_nowhere(one, words)


def from_nowhere(one: Past, words: str) -> Breach:
    return make_breach("UNGROUNDED_ARGUMENT", one.call, quote(one.call), argument=words)


def issues(reading: Reading, found: CallBreaches) -> list[Issue]:
    listed = [
        Issue(
            breach.type,
            ISSUES[breach.type].severity,
            one.agent_id,
            reading.turn_index(one.where[0]),
            one.where[1],
            one.step_index,
            breach.message,
            breach.evidence,
        )
        for one, breach in found
    ]
    return sorted(listed, key=lambda issue: (issue.turn_index, issue.interaction_index, issue.step_index or 0))


# Scores


def score(turn_index: int, own: list[Past], mine: CallBreaches, lost: dict[int, str], served: Service) -> Score:
    """One interaction: what its calls are worth, the worst counting as much as all of them, times how they fit."""
    at = own[0].where[1]
    costs: dict[int, float] = defaultdict(float)
    for k, kind in dict.fromkeys((one.step_index, breach.type) for one, breach in mine):
        costs[k] += 0 if kind in COUNTED_ELSEWHERE else COSTS[ISSUES[kind].severity]
    worth = [1 - min(1.0, costs[one.step_index] + UNREPAIRED * (one.step_index in lost)) for one in own]
    value = (sum(worth) / len(worth) + min(worth)) / 2 * served.fitting
    if value >= 1:
        return Score(round(value, 4))
    evidence = [
        *(
            Evidence(cut(f"{breach.type}: {breach.message}"), breach.evidence, turn_index, at, one.step_index)
            for one, breach in mine[:PIECES]
        ),
        *(Evidence(UNREPAIRED_CALL, lost[k], turn_index, at, k) for k in islice(lost, PIECES)),
        *(
            Evidence(why, quote(one.call), turn_index, one.where[1], one.step_index)
            for why, one in ((why, about or own[0]) for why, about in served.against)
        ),
    ]
    return Score(round(value, 4), tuple(evidence[:PIECES]))


def unrepaired_calls(past: Sequence[Past]) -> dict[tuple[InteractionIndex, int], str]:
    """The places whose call failed while no later call of the same tool went well, with what came back."""
    fallen = [has_failed(one.call) for one in past]
    saved = last_success(past, fallen)
    return {
        (one.where, one.step_index): cut(came_back(one.call))
        for k, one in enumerate(past)
        if fallen[k] and saved.get((one.agent_id, one.call.tool_name), -1) < k
    }


def total(scores: list[Score], counts: list[int]) -> Score:
    """The mean over the interactions, by their calls; the evidence of the worst ones."""
    value = sum((one.value or 0.0) * n for one, n in zip(scores, counts, strict=True)) / sum(counts)
    worst = sorted(scores, key=lambda one: one.value or 0.0)
    evidence = [piece for one in worst for piece in one.evidence]
    return Score(round(value, 4), tuple(evidence[:PIECES]))


# Where no tool was called at all


def score_without_calls(reading: Reading, history: History) -> ToolUse:
    """A trace without a call: right if no tool would have served, wrong by how clearly one would have."""
    if not any(history.tools.values()):
        return ToolUse(Score(), {}, [])
    judged = (missing(reading, history, t) for t in range(min(len(reading.trace.turns), TURNS)))
    found = [one for one in judged if one is not None]
    if not found:
        return ToolUse(Score(1.0), {}, [])
    where, worst = min(found, key=lambda pair: pair[1].value or 0.0)
    return ToolUse(worst, {where: worst}, [])


def asks_back(act: Interaction) -> bool:
    """Whether an agent answers with a question, as one does before a call that lacks something."""
    return "?" in (act.agent_response or "")[-ENDING:]


def missing(reading: Reading, history: History, turn: int) -> tuple[InteractionIndex, Score] | None:
    """The score of a turn in which a tool that fits was not called."""
    acts = reading.trace.turns[turn].agent_interactions
    owners = [i for i, act in enumerate(acts) if history.tools.get(act.agent_id)]
    message = request_of(reading, turn)
    if not owners or not message.strip() or (len(reading.trace.turns) > 1 and asks_back(acts[owners[-1]])):
        return None
    one = fit(parse_request(message), (), tools_in(reading, history, turn))
    if one.features["uncalled_alike"] == 0 and not one.found["named_uncalled"]:
        return None
    served = service(one)
    quoted, at = cut(interaction_text(acts[owners[-1]])), (reading.turn_index(turn), owners[-1])
    evidence = tuple(Evidence(why, quoted, *at) for why, _ in served.against)
    return (turn, owners[-1]), Score(round(served.fitting, 4), evidence)
