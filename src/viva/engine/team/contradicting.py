"""Contradictions between agents, results that are not taken up, and parts that seem to be missing."""

from collections.abc import Iterator

from viva.engine.call_text import flat
from viva.engine.faults import RunFault
from viva.engine.reading import calls
from viva.engine.team.figures import denied_figure, figures, told_otherwise, values_of
from viva.engine.team.speech import CODE, EXECUTED
from viva.engine.team.talk import TeamTalk

OWN_REPLIES_SHARE = 0.34  # of all messages; where agents answer themselves more often, that is how the run works
RECENT = 6  # messages before, whose figures a message may tell otherwise
MAX_RESULT_CHARACTERS = 200  # of a message that gives a bare result


def broken_order(talk: TeamTalk) -> Iterator[RunFault]:
    """Messages that answer nobody: an agent that answers itself where agents take turns, or output of code nobody wrote."""
    own = [at for at in range(1, len(talk.places)) if answers_itself(talk, at)]
    if len(own) <= OWN_REPLIES_SHARE * len(talk.places):
        for at in own:
            yield talk.fault("context_lost", at, 0.2, f"{talk.agent(at)} answers itself; a part seems to be missing.")
    for at in range(1, len(talk.places)):
        if at not in own and EXECUTED.search(talk.texts[at][:80].lower()) and CODE not in talk.texts[at - 1]:
            yield talk.fault("context_lost", at, 0.3, "The output of code that nobody wrote just before.")


def answers_itself(talk: TeamTalk, at: int) -> bool:
    both = talk.same_turn(at - 1, at) and talk.agent(at) == talk.agent(at - 1)
    return both and bool(talk.texts[at] and talk.texts[at - 1]) and not talk.called[at - 1]


def contradictions(talk: TeamTalk) -> Iterator[RunFault]:
    """Figures told otherwise than a tool, the user or another agent had them, and results that the next agent ignores."""
    known: set[float | str] = set()
    turn = -1
    for at, place in enumerate(talk.places):
        while turn < place.turn:
            turn += 1
            known |= values_of(talk.reading.trace.turns[turn].user_message or "")
        results = [flat(step.tool_call.result) for _, step in calls(place.interaction) if step.tool_call]
        for result in results:
            known |= values_of(result)
        found = contradiction_at(talk, at, results, known)
        yield from [found] if found else ignored_output(talk, at, known)
        known |= values_of(talk.texts[at])


def contradiction_at(talk: TeamTalk, at: int, results: list[str], known: set[float | str]) -> RunFault | None:
    """A figure of one message that is told otherwise than it was given."""
    text = talk.texts[at]
    if values_of(text) <= known:
        return None
    others = [
        talk.texts[k]
        for k in range(max(0, at - RECENT), at)
        if talk.same_turn(k, at) and talk.agent(k) != talk.agent(at)
    ]
    asked = talk.reading.trace.turns[talk.turn(at)].user_message or ""
    for sources, sure in ((results[-3:], 0.8), ([asked, *others], 0.45)):
        for source in sources:
            if pair := told_otherwise(text, source, known):
                why = f"Says {pair[0].written} where “{pair[1].written}” was given."
                return talk.fault("contradictions", at, sure, why)
    if denied := denied_figure(text, known):
        return talk.fault("contradictions", at, 0.45, f"Denies {denied}, which was given.")
    return None


def ignored_output(talk: TeamTalk, at: int, known: set[float | str]) -> Iterator[RunFault]:
    """A bare result of one agent, where the next agent tells other figures. Who is alone with its figure is to blame."""
    if len(talk.texts[at]) > MAX_RESULT_CHARACTERS or not talk.same_turn(at, at + 1):
        return
    text = EXECUTED.sub(" ", talk.texts[at].lower())
    result, words = values_of(text), len(talk.reading.stems(text))
    if not 1 <= len(result) <= 3 or words > 2 + len(result):
        return
    following = values_of(talk.texts[at + 1])
    if talk.agent(at + 1) == talk.agent(at) or not following or following & result:
        return
    if following & known and not result & known:
        why = f"Gives {figures(text)[0].written}, which {talk.agent(at + 1)} does not take up."
        yield talk.fault("contradictions", at, 0.45, why)
    elif result & known:
        why = f"Does not take up {figures(text)[0].written}, which {talk.agent(at)} gave."
        yield talk.fault("contradictions", at + 1, 0.45, why)
