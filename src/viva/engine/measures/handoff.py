"""Handoff: of the facts the next agent needed, how many were in what it was given, and was it the right agent."""

from itertools import pairwise

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Score, cut
from viva.engine.model import Step
from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading
from viva.engine.team.addressing import addressees, agents_meant, directory, is_people
from viva.engine.team.dataflow import dataflow
from viva.engine.team.flaws import Flaw, flaw_evidence, left_by
from viva.engine.team.flow import AgentRun, continues, stretches
from viva.engine.team.needs import Need, TeamKnowledge, find_needs
from viva.engine.team.roles import Roles
from viva.engine.team.speech import CONFIRMS, EMPTY_HANDED, HEAD, asks
from viva.engine.text.sentences import sentences

TRUST = 0.5  # half a fact's worth of good faith, so that one small fact lost is not a score of 0
SEEN_ANYHOW = 0.2  # the most that facts count which the receiver evidently saw elsewhere, however many they are
# What each flaw of the handing over itself leaves of the score.
LEFT = {
    "unknown": 0.5,  # nobody does the work
    "tool": 0.6,  # the receiver cannot do it
    "nothing": 0.6,  # the receiver finds nothing it could work with
    "asked": 0.7,  # the receiver must ask for what was known
    "other": 0.8,  # somebody else took it up: a detour, or the wrong name
}
SEEN = ("spoken", "user")  # where a receiver saw a fact that it was not told
WHY = {
    "private": "“{fact}” was known to the sender alone and needed next, but not passed on.",
    "looked up": "“{fact}” was not passed on, and the receiver had to look it up again.",
    "guessed": "“{fact}” was not passed on, and the receiver used another that nobody had said.",
    "dropped": "“{fact}” from the user's words was not passed on, and no agent used it.",
    "spoken": "“{fact}” was needed next, but only said earlier to somebody else.",
    "user": "“{fact}” from the user's words was needed next, but not passed on.",
}
NAMED = 80  # characters of a name or a fact in what is said about it
ASKED_SHARE = 0.6  # of a question's words that the user's message must hold to have answered it


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    """A score for every interaction that gives the work to another agent who needed something from it."""
    run = stretches(reading)
    if len({stretch.agent_id for stretch in run}) < 2:
        return {}
    known, roles, names = TeamKnowledge(dataflow(reading)), reading.once(Roles), directory(reading.trace)
    scores: dict[InteractionIndex, Score] = {}
    for sender, receiver in pairwise(run):
        known.learn(sender)
        if speaks(sender) and continues(reading, sender, receiver):
            needs = find_needs(reading, known, sender, receiver)
            score = score_handoff(reading, needs, flaws(reading, roles, names, sender, receiver), sender)
            if score is not None:
                scores[sender.places[-1][:2]] = score
        known.tell(sender, receiver)
    return scores


def speaks(stretch: AgentRun) -> bool:
    """Whether an agent chose its words; a terminal that shows its output chooses nothing."""
    return any(
        place.interaction.agent_response or step.thought or step.action or step.tool_call
        for place in stretch.places
        for step in (*place.interaction.agent_steps, Step())
    )


def score_handoff(reading: Reading, needs: list[Need], found: list[Flaw], sender: AgentRun) -> Score | None:
    """The share of what was needed that was told, less the flaws; None when nothing was needed and nothing wrong."""
    if not needs and not found:
        return None
    told = sum(need.weight for need in needs if need.told) + TRUST
    lost = [need for need in needs if not need.told]
    hard = sum(need.weight for need in lost if need.level not in SEEN)
    soft = sum(need.weight for need in lost if need.level in SEEN)
    value = told / (told + hard + min(soft, SEEN_ANYHOW)) * left_by(found, LEFT)
    own, message = sender.places[-1], cut(sender.last_words)
    lost.sort(key=lambda need: -need.weight)
    too_little = [
        Evidence(
            WHY[need.level].format(fact=cut(need.fact.text, NAMED)), message, reading.turn_index(own.turn), own.part
        )
        for need in lost[:MAX_EVIDENCE_PIECES]
    ]
    return Score(round(value, 4), (*flaw_evidence(reading, found, own), *too_little)[:MAX_EVIDENCE_PIECES])


def flaws(
    reading: Reading, roles: Roles, names: dict[str, set[str]], sender: AgentRun, receiver: AgentRun
) -> list[Flaw]:
    """Flaws of the handing over itself, one of a kind."""
    last, taker = sender.places[-1].interaction, cut(receiver.agent_id, NAMED)
    found: list[Flaw] = []
    for name, certain in addressees(last):
        targets = agents_meant(name, names)
        if not targets and certain and not is_people(name):
            found.append(Flaw("unknown", f"There is no agent called {cut(name, NAMED)}.", name))
        elif targets and certain and receiver.agent_id not in targets and sender.agent_id not in targets:
            found.append(Flaw("other", f"Handed to {cut(name, NAMED)}, but {taker} took it up.", name))
    message = sender.handed_over[:MAX_TEXT_CHARACTERS]
    found += [
        Flaw("tool", f"Asks for {cut(tool, NAMED)}, which {taker} does not have.", sender.last_words)
        for tool in tools_named(message, roles)
        if roles.lacks(receiver.agent_id, tool) and roles.lacks(sender.agent_id, tool)  # else it reports its own work
    ]
    first = receiver.places[0].interaction
    start = (first.agent_response or (first.agent_steps[0].observation if first.agent_steps else "") or "")[:HEAD]
    if EMPTY_HANDED.said_in(start.lower()):
        found.append(Flaw("nothing", f"{taker} finds nothing in it to work with.", start, receiver.places[0]))
    found += asks_again(reading, sender, receiver, message)
    return list({flaw.name: flaw for flaw in found}.values())


def tools_named(message: str, roles: Roles) -> list[str]:
    """The declared tools that a message names, for tools whose names are more than a common word."""
    if not roles.owners:
        return []
    words = set(message.replace("`", " ").replace("(", " ").replace("'", " ").replace('"', " ").split())
    return sorted(word for word in {word.strip(".,:;)") for word in words} & roles.owners.keys() if "_" in word)


def asks_again(reading: Reading, sender: AgentRun, receiver: AgentRun, message: str) -> list[Flaw]:
    """Whether the receiver asks for something that the sender knew and did not say."""
    response = receiver.places[-1].interaction.agent_response or ""
    if len(response) > 1_500 or not asks(response.lower()):
        return []
    turn = reading.trace.turns[sender.places[-1].turn]
    asked = reading.stems(turn.user_message or "") - reading.stems(message)
    for sentence in sentences(response, 20) if asked else ():
        stems, low = reading.stems(sentence), sentence.lower()
        told = len(stems) >= 2 and len(stems & asked) >= ASKED_SHARE * len(stems)
        if told and asks(low) and not CONFIRMS.said_in(low):
            why = f"{cut(receiver.agent_id, NAMED)} asks for what the user had already said."
            return [Flaw("asked", why, sentence, receiver.places[-1])]
    return []
