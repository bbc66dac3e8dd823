"""Marking by a script: its checks give each criterion a mark, a reason and the messages that it rests on."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from viva.evaluations.configs import AnswerDetection, Script, ScriptCheck, ScriptPrompt
from viva.evaluations.patterns import is_found
from viva.exams.answer_detections import GivenAnswer, detect_all, plain
from viva.exams.scripting import ScriptAnswer, ScriptMessage, answers_in, earlier_answers, message_ids

MAX_EVIDENCE_CHARACTERS = 300  # of an answer, in a mark
DEFAULT_PASSING_PERCENT = 70.0
DETECTION_REASONS: dict[AnswerDetection, str] = {
    "no_answer": "There is no answer.",
    "refusal": "The candidate refuses to answer.",
    "echo": "The answer only says the prompt again.",
    "repetition": "The answer repeats an earlier one.",
    "instruction": "The answer tries to instruct whoever marks it.",
}


class CriterionMark(NamedTuple):
    """One criterion with its mark; None if nothing marks it. `messages` are those that the mark rests on."""

    id: str
    text: str
    mark: float | None
    max: float
    reason: str = ""
    evidence: str = ""
    messages: tuple[int, ...] = ()


class FailedCheck(NamedTuple):
    check: ScriptCheck
    reason: str
    answer: ScriptAnswer | None


def mark_by_script(config: dict[str, Any], script: Script, messages: Sequence[ScriptMessage]) -> list[CriterionMark]:
    """Every criterion of the evaluation, in order. A criterion without checks has no mark."""
    answers = answers_in(messages)
    return [mark_criterion(criterion, script, answers) for criterion in unmarked_criteria(config)]


def unmarked_criteria(config: dict[str, Any]) -> list[CriterionMark]:
    """The criteria without marks. Without points of their own, all criteria share the maximum score evenly."""
    criteria = config.get("criteria") or []
    share = (config.get("max_score") or len(criteria)) / max(1, len(criteria))
    return [CriterionMark(each["id"], each["text"], None, each.get("points") or share) for each in criteria]


def mark_criterion(criterion: CriterionMark, script: Script, answers: dict[str, ScriptAnswer]) -> CriterionMark:
    checks = [check for check in script.expect if check.criterion == criterion.id]
    if not checks:
        return criterion._replace(reason="No check of the script marks this criterion.")
    failed = [fault for check in checks for fault in failures_of(check, script, answers)]
    lost = min(100.0, sum({id(fault.check): fault.check.cost for fault in failed}.values()))
    rest_on = dict.fromkeys(
        sequence for check in checks for sequence in sequences_of(check, script, answers, failed=failed)
    )
    return criterion._replace(
        mark=round(criterion.max * (1 - lost / 100), 4),
        reason=" ".join(dict.fromkeys(fault.reason for fault in failed)) or "All checks hold.",
        evidence=next((fault.answer.text[:MAX_EVIDENCE_CHARACTERS] for fault in failed if fault.answer), ""),
        messages=tuple(rest_on),
    )


def failures_of(check: ScriptCheck, script: Script, answers: dict[str, ScriptAnswer]) -> Iterator[FailedCheck]:
    """Why the check fails: once for each answer that does not hold."""
    for prompt in (prompt for prompt in script.prompts if prompt.id in check.prompts):
        answer = join_answers(prompt, answers)
        if answer is None:
            yield FailedCheck(check, DETECTION_REASONS["no_answer"], None)
        elif reason := find_failure(check, answer, earlier_answers(script, prompt, answers)):
            yield FailedCheck(check, reason, answer)


def find_failure(check: ScriptCheck, answer: ScriptAnswer, earlier: Sequence[str]) -> str | None:
    detected = detect_all(GivenAnswer(answer.asked, answer.text, earlier))
    unsound = [name for name in detected if name not in check.allow]
    if unsound:
        return DETECTION_REASONS[unsound[0]]
    text = plain(answer.text)
    holds = all(is_found(pattern, text) for pattern in check.found) and not any(
        is_found(pattern, text) for pattern in check.absent
    )
    return None if holds else check.reason


def join_answers(prompt: ScriptPrompt, answers: dict[str, ScriptAnswer]) -> ScriptAnswer | None:
    """The answer to a prompt with those to its follow-ups; None if the prompt was never asked."""
    if prompt.id not in answers:
        return None
    given = [answers[id_] for id_ in message_ids(prompt) if id_ in answers]
    sequences = tuple(sequence for each in given for sequence in each.sequences)
    asked = "\n".join(each.asked for each in given)
    return ScriptAnswer(prompt.id, asked, "\n".join(each.text for each in given).strip(), sequences)


def sequences_of(
    check: ScriptCheck, script: Script, answers: dict[str, ScriptAnswer], failed: Sequence[FailedCheck]
) -> Iterator[int]:
    """The messages that the mark rests on: those that failed, or all that were checked."""
    if failed:
        yield from (
            number for fault in failed if fault.check is check and fault.answer for number in fault.answer.sequences
        )
        return
    for prompt in script.prompts:
        answer = join_answers(prompt, answers) if prompt.id in check.prompts else None
        yield from answer.sequences if answer else ()


class ScriptVerdict(NamedTuple):
    passed: bool
    score: float
    max_score: float
    reasons: list[str]


def decide_by_marks(script: Script | None, marks: Sequence[CriterionMark]) -> ScriptVerdict | None:
    """The verdict of all marks; None while a criterion has no mark. Nothing is guessed."""
    if not marks or any(each.mark is None for each in marks):
        return None
    passing = script.passing_score if script else DEFAULT_PASSING_PERCENT
    least = script.least if script else {}
    score, max_score = sum(each.mark or 0.0 for each in marks), sum(each.max for each in marks)
    too_low = [each for each in marks if is_too_low(each, least.get(each.id, 0.0))]
    reasons = [f"{each.id} has {each.mark:g} of {each.max:g}: {each.reason}" for each in marks if each.mark != each.max]
    return ScriptVerdict(score * 100 >= passing * max_score - 1e-9 and not too_low, score, max_score, reasons)


def is_too_low(mark: CriterionMark, least: float) -> bool:
    return (mark.mark or 0.0) <= 0 or (mark.mark or 0.0) * 100 < least * mark.max - 1e-9


def criterion_data(mark: CriterionMark) -> dict[str, Any]:
    """The criterion as a result stores it."""
    return {
        "id": mark.id,
        "text": mark.text.partition("\n")[0],  # without the guidance
        "met": mark.mark == mark.max,
        "mark": mark.mark,
        "max": mark.max,
        "reason": mark.reason,
        "evidence": mark.evidence,
        "messages": list(mark.messages),
    }
