"""Hallucination: the answer says what neither the knowledge nor the tool results bear out."""

import re
from collections.abc import Iterator

from viva.engine import wording
from viva.engine.call_text import flat
from viva.engine.claims.mismatches import RESULT_TABLE, SAME_THING, SWAPPED
from viva.engine.claims.source import ClaimSource
from viva.engine.claims.support import SUPPORT_TABLE, AlignedClaim, JudgedAnswer, JudgedClaim, judge_answer
from viva.engine.claims.tellings import Telling, tellings
from viva.engine.evidence import MAX_EVIDENCE_PIECES, MAX_QUOTE_CHARACTERS, Evidence, Signal, cut
from viva.engine.logistic import NO_ALARM, hold_below, load_model
from viva.engine.model import Turn
from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading, answering

DOUBTFUL = 0.5
OF_SPEAKER = re.compile(
    r"\b(?:i|my|me|we|our|us)\b|\b(?:hope|love|wish)\b|^(?:lol|haha|wow|yeah|ok|sure|thanks)\b", re.I
)


def detect(reading: Reading) -> list[Signal]:
    """One signal for each turn; its probability is None where there is nothing to hold the answer against."""
    told: dict[int, list[Telling]] = {}
    for telling in tellings(reading):
        told.setdefault(telling.place.turn, []).append(telling)
    turns = reading.follow("hallucination", reading.trace.turns)
    return [judge(reading, turn, told.get(t, [])) for t, turn in enumerate(turns)]


def judge(reading: Reading, turn: Turn, told: list[Telling]) -> Signal:
    """The worse of what the knowledge and what the tool results say of the answers of a turn."""
    place = answering(turn)
    if place < 0:
        return Signal(None, wording.NO_ANSWER)
    worst = max(told, key=lambda telling: telling.probability, default=None)
    found = [against_record(reading, worst)] if worst else []
    if turn.knowledge and turn.knowledge.strip():
        source = "\n".join([turn.knowledge, *results(turn)])
        asked = (turn.user_message or "")[:MAX_TEXT_CHARACTERS]
        response = (turn.agent_interactions[place].agent_response or "")[:MAX_TEXT_CHARACTERS]
        found.append(against_knowledge(turn, place, judge_answer(reading, response, source, asked)))
    return max(found, key=lambda signal: signal.probability or 0.0, default=Signal(None, wording.NO_SOURCE))


def results(turn: Turn) -> list[str]:
    """What the tools gave back in a turn."""
    steps = [step for act in turn.agent_interactions for step in act.agent_steps]
    texts = [step.observation or "" for step in steps] + [
        flat(step.tool_call.result) for step in steps if step.tool_call
    ]
    return [text[:MAX_TEXT_CHARACTERS] for text in texts if text]


def against_record(reading: Reading, telling: Telling) -> Signal:
    """What an agent told, held against what it had seen and been told.

    No alarm is raised by what may have been worked out, nor by what agents without recorded tools bring into a run.
    """
    seen, is_answer = telling.comparison, answering(reading.trace.turns[telling.place.turn]) == telling.place.part
    sure = seen.tells_otherwise or (is_answer and seen.is_made_up)
    probability = telling.probability if sure else hold_below(telling.probability, NO_ALARM, NO_ALARM - DOUBTFUL)
    evidence = tuple(record_evidence(reading, telling))[:MAX_EVIDENCE_PIECES]
    if probability < DOUBTFUL:
        return Signal(probability, wording.FACTS_SEEN, evidence)
    reasons = load_model("hallucination_results").reasons(seen.features, RESULT_TABLE)
    return Signal(probability, reasons[0].meaning, evidence)


def record_evidence(reading: Reading, telling: Telling) -> Iterator[Evidence]:
    """The words of the answer, each with the words of the result that contradict it."""
    here = (reading.turn_index(telling.place.turn), telling.place.part)
    outcome, found, swapped = telling.comparison.outcome, telling.comparison.mismatches, telling.comparison.swapped
    if outcome:
        yield Evidence(wording.TOLD_AS_DONE, cut(outcome.sentence), *here)
        yield Evidence(wording.CAME_BACK, cut(outcome.came_back), here[0])
    for one in sorted(found, key=lambda one: (one.value.kind == "name", -one.likeness)):
        why = wording.FACT_NOT_SEEN.format(kind=wording.VALUE_KINDS[one.value.kind], fact=one.value.text)
        yield Evidence(why, cut(one.sentence), *here)
        if one.instead and one.likeness >= SAME_THING:
            why = wording.SEEN_INSTEAD.format(fact=one.instead.value.text)
            yield Evidence(why, cut(one.instead.value.text), reading.turn_index(one.instead.line.turn))
    if swapped and swapped.likeness >= SWAPPED:
        why = wording.OTHER_WORD.format(word=swapped.word, other=swapped.leaf.words)
        yield Evidence(why, cut(swapped.word), *here)


def against_knowledge(turn: Turn, place: int, judged: JudgedAnswer) -> Signal:
    """An answer held against its knowledge."""
    if not judged.claims:
        return Signal(judged.probability, wording.NOTHING_TO_CHECK)
    weakest = judged.claims[0]
    evidence = tuple(claim_evidence(weakest.claim, judged.source, turn.turn_index, place))[:MAX_EVIDENCE_PIECES]
    probability = (
        judged.probability if asserts(weakest) else hold_below(judged.probability, NO_ALARM, NO_ALARM - DOUBTFUL)
    )
    if probability < DOUBTFUL:
        return Signal(probability, wording.SUPPORTED, evidence)
    reasons = load_model("hallucination").reasons(weakest.features, SUPPORT_TABLE)
    return Signal(probability, reasons[0].meaning if reasons else evidence[0].why, evidence)


def asserts(judged: JudgedClaim) -> bool:
    """Whether a claim says something about the world. A question does not, nor do opinions and the speaker's own life."""
    if judged.claim.text.rstrip().endswith("?"):
        return False
    concrete = any(judged.features[name] for name in ("values", "values_table", "names", "clash", "flipped"))
    return concrete or not OF_SPEAKER.search(judged.claim.text[:MAX_QUOTE_CHARACTERS])


def claim_evidence(claim: AlignedClaim, source: ClaimSource, turn: int, place: int) -> Iterator[Evidence]:
    """The sentence that is supported least, its doubtful words, and what the knowledge says instead."""
    whys = [
        wording.OTHER_WORD.format(word=match.token.word, other=match.clash) for match in claim.matches if match.clash
    ]
    whys += [wording.WORD_NOT_KNOWN.format(word=value.text) for value in claim.missing]
    whys += [wording.WORD_NOT_KNOWN.format(word=match.token.word) for match in claim.matches if match.is_strange]
    for why in whys[: MAX_EVIDENCE_PIECES - 1] or [wording.LEAST_SUPPORTED]:
        yield Evidence(why, cut(claim.text), turn, place)
    for k in claim.nearest[:1]:
        yield Evidence(wording.NEAREST_SENTENCE, cut(source.sentences[k]), turn)
