"""Tool use: are the calls allowed, well formed, grounded and repaired, and do they fit what was asked."""

from collections.abc import Iterator
from itertools import chain

import msgspec

from viva.engine.call_text import came_back
from viva.engine.calls.actions import name_words
from viva.engine.calls.contracts import Breach, breaches, make_breach, quote
from viva.engine.calls.grounding import CONFIDENCES, ArgumentDoubt
from viva.engine.calls.history import History, Past
from viva.engine.calls.serving import Service, fit_calls, fit_without_calls, rate_service, request_of
from viva.engine.calls.troubles import find_ignored_errors, find_repetitions, unrepaired_calls
from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Issue, Score, Severity, cut
from viva.engine.model import Interaction
from viva.engine.reading import Reading, interaction_text
from viva.engine.scoring import SCORE_DIGITS
from viva.engine.wording import ISSUES, UNREPAIRED_CALL

COSTS: dict[Severity, float] = {"HIGH": 0.9, "MEDIUM": 0.8, "LOW": 0.7}  # of what one call is worth, if it is a fault
UNREPAIRED_COST = 0.2  # a call that failed for good did not do its work, even where the agent says so
ISSUE_CONFIDENCE = 0.5  # a doubt below this lowers the score, but is not reported as a fault
CREDENTIALS = frozenset("username password passwd passphrase pin token".split())
MAX_ANSWER_END_CHARACTERS = 200  # in which an answer asks back
MAX_TURNS_WITHOUT_CALL = 50


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
    found: dict[int, list[Breach]] = {}
    places = {id(one): k for k, one in enumerate(history.calls)}
    repeated, ignored = find_repetitions(history), find_ignored_errors(reading, history)
    faulty = (contract_breaches(reading, history), repeated, ignored, ungrounded_arguments(history))
    for one, breach in chain.from_iterable(faulty):
        found.setdefault(places[id(one)], []).append(breach)
    fitted = fit_calls(reading, history)
    served = rate_service(fitted, history.calls) if fitted else Service()
    lost = unrepaired_calls(history)
    worth = [call_worth(found.get(k, []), k in lost) for k in range(len(history.calls))]
    groups: dict[InteractionIndex, list[int]] = {}
    for k, one in enumerate(history.calls):
        groups.setdefault(one.where, []).append(k)
    scores = {
        where: make_score([worth[k] for k in own], served, call_evidence(reading, history, own, found, lost, served))
        for where, own in groups.items()
    }
    worst = sorted(scores.values(), key=lambda score: score.value or 0.0)
    evidence = [piece for score in worst for piece in score.evidence]
    return ToolUse(make_score(worth, served, evidence), scores, list(make_issues(reading, history, found)))


def contract_breaches(reading: Reading, history: History) -> Iterator[tuple[Past, Breach]]:
    for one in history.calls:
        agent = reading.agents.get(one.agent_id)
        if agent is not None:
            yield from ((one, breach) for breach in breaches(agent, history.tools[agent.id], one.call))


def ungrounded_arguments(history: History) -> Iterator[tuple[Past, Breach]]:
    for one in history.calls:
        for doubt in () if one.has_gaps else one.doubts:
            if doubt.kind in CONFIDENCES and not is_accepted(doubt, one):
                kind = "looked up" if doubt.kind == "amount" and one.deed < 0.5 else doubt.kind
                sure, words = CONFIDENCES[kind], doubt.argument.quote
                yield one, make_breach("UNGROUNDED_ARGUMENT", one.call, quote(one.call), sure, argument=words)


def is_accepted(doubt: ArgumentDoubt, one: Past) -> bool:
    """Whether an account that nobody named opened what it was to open: an agent may be configured with it."""
    worked = not one.failed and one.call.result is not None
    return worked and not CREDENTIALS.isdisjoint(name_words(doubt.argument.parameter))


def make_issues(reading: Reading, history: History, found: dict[int, list[Breach]]) -> Iterator[Issue]:
    for k in sorted(found):
        one = history.calls[k]
        for breach in found[k]:
            if breach.confidence >= ISSUE_CONFIDENCE:
                place = (reading.turn_index(one.where[0]), one.where[1], one.step_index)
                severity = ISSUES[breach.type].severity
                words = breach.message, breach.evidence, breach.confidence
                yield Issue(breach.type, severity, one.agent_id, *place, *words)


def call_worth(found: list[Breach], is_lost: bool) -> float:
    costs: dict[str, float] = {}
    for breach in found:
        cost = COSTS[ISSUES[breach.type].severity] * breach.confidence
        costs[breach.type] = max(cost, costs.get(breach.type, 0.0))
    return max(0.0, 1 - sum(costs.values()) - UNREPAIRED_COST * is_lost)


def make_score(worth: list[float], served: Service, evidence: list[Evidence]) -> Score:
    """What calls are worth, the worst counting as much as all of them, times how they fit."""
    value = round((sum(worth) / len(worth) + min(worth)) / 2 * served.fitting, SCORE_DIGITS)
    return Score(value, tuple(evidence[:MAX_EVIDENCE_PIECES]) if value < 1 else ())


def call_evidence(
    reading: Reading, history: History, own: list[int], found: dict[int, list[Breach]], lost: set[int], served: Service
) -> list[Evidence]:
    """What the score of one interaction rests on."""
    pieces = []
    for k in own:
        one = history.calls[k]
        place = (reading.turn_index(one.where[0]), one.where[1], one.step_index)
        breached = found.get(k, [])
        reasons = [(cut(f"{ISSUES[breach.type].label}: {breach.message}"), breach.evidence) for breach in breached]
        reasons += [(UNREPAIRED_CALL, cut(came_back(one.call)))] if k in lost else []
        for why, about in served.against:
            if about is one or (k == own[0] and (about is None or about.where != one.where)):
                reasons.append((why, quote(one.call)))
        pieces += [Evidence(why, words, *place) for why, words in reasons]
        if len(pieces) >= MAX_EVIDENCE_PIECES:
            break
    return pieces


def score_without_calls(reading: Reading, history: History) -> ToolUse:
    """A trace without a call: right if no tool would have served, wrong by how clearly one would have."""
    if not any(history.tools.values()):
        return ToolUse(Score(), {}, [])
    turns = range(min(len(reading.trace.turns), MAX_TURNS_WITHOUT_CALL))
    found = [scored for turn in turns if (scored := score_missing_call(reading, history, turn))]
    if not found:
        return ToolUse(Score(1.0), {}, [])
    where, worst = min(found, key=lambda pair: pair[1].value or 0.0)
    return ToolUse(worst, {where: worst}, [])


def score_missing_call(reading: Reading, history: History, turn: int) -> tuple[InteractionIndex, Score] | None:
    """The score of a turn in which a tool that fits was not called."""
    acts = reading.trace.turns[turn].agent_interactions
    owners = [i for i, act in enumerate(acts) if history.tools.get(act.agent_id)]
    message = request_of(reading, turn)
    if not owners or not message.strip() or (len(reading.trace.turns) > 1 and asks_back(acts[owners[-1]])):
        return None
    tools = {name: tool for i in owners for name, tool in history.tools[acts[i].agent_id].items()}
    fitted = fit_without_calls(message, list(tools.values()))
    if fitted is None:
        return None
    served = rate_service(fitted)
    words, place = cut(interaction_text(acts[owners[-1]])), (reading.turn_index(turn), owners[-1])
    evidence = tuple(Evidence(why, words, *place) for why, _ in served.against)
    return (turn, owners[-1]), Score(round(served.fitting, SCORE_DIGITS), evidence)


def asks_back(act: Interaction) -> bool:
    """Whether an agent answers with a question, as one does before a call that lacks something."""
    return "?" in (act.agent_response or "")[-MAX_ANSWER_END_CHARACTERS:]
