"""Handoff: of the facts the next agent needed, how many were in what it was given, and was it the right agent."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Score, cut
from viva.engine.faults import RunFault, make_fault
from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading, once
from viva.engine.team.agents import Directory, Roles, is_people, transfers
from viva.engine.team.flow import AgentRun, continues, stretches
from viva.engine.team.needs import SURENESS, Handed, Needs, TeamKnowledge, find_needs

TRUST = 0.5  # half a fact's worth of good faith, so that one small fact lost is not a score of 0
LOSS_COST = 0.9  # of a sure loss: with one bad handoff of two, an agent's mean falls below the 0.7 of the advice
# What work that goes to the wrong agent leaves of the score.
LEFT = {
    "unknown": 0.5,  # nobody does the work
    "tool": 0.6,  # the receiver cannot do it
}
WHY = {
    "private": "“{text}” was known to the sender alone and needed next, but not passed on.",
    "looked up": "“{text}” was not passed on, and the receiver had to look it up again.",
    "guessed": "“{text}” was not passed on, and the receiver used another that nobody had said.",
    "asked": "“{text}” was known but not passed on, and the receiver had to ask for it.",
    "violated": "“{text}”, said by the user, was not passed on, and what was done goes against it.",
    "unheeded": "“{text}”, said by the user, was not passed on, and nobody heeded it.",
    "unmentioned": "“{text}”, said by the user, was not passed on.",
}
NAMED = 80  # characters of a name or a fact in what is said about it


class HandoffResult(NamedTuple):
    """The score of every interaction that gives work to another who needed something from it, and the faults found there."""

    scores: dict[InteractionIndex, Score]
    faults: list[RunFault]


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    return judge_handoffs(reading).scores


def find_faults(reading: Reading) -> list[RunFault]:
    return judge_handoffs(reading).faults


@once
def judge_handoffs(reading: Reading) -> HandoffResult:
    run = stretches(reading)
    result = HandoffResult({}, [])
    if len({stretch.agent_id for stretch in run}) < 2:
        return result
    known, roles, names = TeamKnowledge(reading), reading.once(Roles), reading.once(Directory)
    for at in range(len(run) - 1):
        one = known.hand_over(at)
        if speaks(one.sender) and continues(reading, one.sender, one.receiver):
            needs, found = find_needs(known, one), list(misdirections(reading, roles, names, one))
            if needs.told or needs.lost or found or one.receiver.has_calls:
                result.scores[one.sender.places[-1][:2]] = score_handoff(reading, needs, found, one.sender)
            result.faults.extend(handoff_faults(reading, needs, found, one.sender))
        known.tell(one)
    return result


def speaks(stretch: AgentRun) -> bool:
    """Whether an agent chose its words; a terminal that shows its output chooses nothing."""
    acts = [place.interaction for place in stretch.places]
    chosen = (step.thought or step.action or step.tool_call for act in acts for step in act.agent_steps)
    return any(act.agent_response for act in acts) or any(chosen)


def score_handoff(reading: Reading, needs: Needs, found: list[RunFault], sender: AgentRun) -> Score:
    told = needs.told + TRUST
    kept = min([told / (told + len(needs.lost)), *(1 - LOSS_COST * SURENESS[loss.level] for loss in needs.lost)])
    value = kept * math.prod(LEFT[fault.kind] for fault in found)
    pieces = [*(fault.evidence for fault in found), *loss_evidence(reading, needs, sender)]
    return Score(round(value, 4), tuple(pieces[:MAX_EVIDENCE_PIECES]))


def loss_evidence(reading: Reading, needs: Needs, sender: AgentRun) -> list[Evidence]:
    """What was lost, each with the words that should have told it."""
    own, message = sender.places[-1], cut(sender.last_words)
    return [
        Evidence(WHY[loss.level].format(text=cut(loss.text, NAMED)), message, reading.turn_index(own.turn), own.part)
        for loss in sorted(needs.lost, key=lambda loss: -SURENESS[loss.level])[:MAX_EVIDENCE_PIECES]
    ]


def handoff_faults(reading: Reading, needs: Needs, found: list[RunFault], sender: AgentRun) -> Iterator[RunFault]:
    own = sender.places[-1]
    pieces = [*loss_evidence(reading, needs, sender), *(fault.evidence for fault in found)]
    if pieces:
        sure = max([SURENESS[loss.level] for loss in needs.lost] or [found[0].confidence])
        yield RunFault("context_lost", sender.agent_id, own.turn, own.part, sure, pieces[0])


def misdirections(reading: Reading, roles: Roles, names: Directory, one: Handed) -> Iterator[RunFault]:
    """Work handed to an agent who is not there, or who does not have the tool for it."""
    sender, receiver, own = one.sender, one.receiver, one.sender.places[-1]
    for name in transfers(own.interaction):
        if not names.meant_by(name) and not is_people(name):
            yield make_fault(reading, "unknown", own, 0.9, f"There is no agent called {cut(name, NAMED)}.", name)
    for tool in tools_named(sender.handed_over[:MAX_TEXT_CHARACTERS], roles):
        if roles.lacks(receiver.agent_id, tool) and roles.lacks(sender.agent_id, tool):  # else it reports its own work
            why = f"Asks for {cut(tool, NAMED)}, which {cut(receiver.agent_id, NAMED)} does not have."
            yield make_fault(reading, "tool", own, 0.7, why, sender.last_words)
            break


def tools_named(message: str, roles: Roles) -> list[str]:
    """The declared tools that a message names, for tools whose names are more than a common word."""
    if not roles.owners:
        return []
    words = set(message.replace("`", " ").replace("(", " ").replace("'", " ").replace('"', " ").split())
    return sorted(word for word in {word.strip(".,:;)") for word in words} & roles.owners.keys() if "_" in word)
