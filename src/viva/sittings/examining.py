"""A proctor without a person: it claims who waits, talks with the candidate, marks, and submits the verdict."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from threading import Event
from typing import Any, NamedTuple, Protocol

from viva.adapters.model import AgentFault
from viva.client.retrying import HubError
from viva.exams.script_marks import CriterionMark, criterion_data, decide_by_marks
from viva.exams.scripting import CLOSING_ID, ScriptLine, is_waiting
from viva.kit.errors import Conflict
from viva.sittings.accounts import HubAccount, is_conflict
from viva.sittings.briefs import ProctorBrief, read_brief
from viva.sittings.model import HubSilent, SilentWatcher, Watcher
from viva.sittings.pausing import Pauses
from viva.sittings.transcripts import SessionMessage, read_messages

ANSWER_SECONDS = 600.0  # for one answer of the candidate
MAX_PROCTOR_MESSAGES = 100  # in one session
MAX_FEEDBACK_CHARACTERS = 10_000
WAITING_LISTED = 200
NOBODY_WAITS, CANDIDATES_DRAWN = "nobody_waits", "candidates_are_drawn"  # codes of the hub
TAKEN_BY_OTHERS = ("already_claimed", "not_waiting")
NOT_TO_CLAIM = (NOBODY_WAITS, "own_exam", *TAKEN_BY_OTHERS)


class OthersWaitLonger(Conflict):
    """In this evaluation the next candidate is drawn, and others have waited longer. Let `viva examine` examine them first."""


class DrawnAgain(Conflict):
    """In this evaluation the next candidate is drawn, so one who is left to people would come again. Decide it first."""


class Examiner(Protocol):
    """Who decides what is said next and which marks are given: a script or an agent."""

    def find_next_line(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> ScriptLine | None:
        """What the proctor says after the last answer; None if the exam is over."""

    def mark(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> list[CriterionMark]:
        """Every criterion, with a mark where there is one."""


class ExamReport(NamedTuple):
    """What became of one candidate. Without a result, `reasons` say why."""

    candidate_name: str
    session_id: str
    registration_id: str
    result: dict[str, Any] | None
    reasons: list[str]
    marks: Sequence[dict[str, Any]] = ()  # those that were given, if there is no result
    is_held: bool = False  # the exam was held to its end, and only marks are missing
    is_interrupted: bool = False  # the hub was away, so the candidate is still claimed


def claim_next(account: HubAccount, evaluation_id: str, left: Collection[str] = ()) -> dict[str, Any] | None:
    """The claim of the candidate who waits longest; None if nobody waits. Registrations in `left` are for others."""
    path = f"/evaluations/{evaluation_id}/proctor"
    for body in bodies_of_claims(account, path, left):
        try:
            return account.post(f"{path}/claim", body)
        except HubError as error:
            if error.code == CANDIDATES_DRAWN:
                raise DrawnAgain() from None
            if error.code not in NOT_TO_CLAIM:
                raise
    return None


def bodies_of_claims(account: HubAccount, path: str, left: Collection[str]) -> list[dict[str, str]]:
    """Whom to claim: whoever is next, or one of those who wait and are not left to others."""
    if not left:
        return [{}]
    waiting = [each["registration_id"] for each in account.get(f"{path}/pending", limit=WAITING_LISTED)["pending"]]
    return [{"registration_id": id_} for id_ in waiting if id_ not in left]


def claim_named(account: HubAccount, evaluation_id: str, candidate_name: str) -> dict[str, Any] | None:
    """The claim of one candidate; None while it does not wait. Where candidates are drawn, others come first."""
    path = f"/evaluations/{evaluation_id}/proctor"
    pending = account.get(f"{path}/pending", limit=WAITING_LISTED)["pending"]
    wanted = next((each for each in pending if each["candidate_name"] == candidate_name), None)
    if wanted is None:
        return None
    try:
        return account.post(f"{path}/claim", {"registration_id": wanted["registration_id"]})
    except HubError as error:
        if error.code in TAKEN_BY_OTHERS:
            return None
        if error.code != CANDIDATES_DRAWN:
            raise
    if pending[0] != wanted:
        raise OthersWaitLonger()
    drawn = claim_next(account, evaluation_id)
    if drawn is None or drawn["registration_id"] == wanted["registration_id"]:
        return drawn
    release(account, evaluation_id, drawn)
    return None


def examine(
    account: HubAccount,
    evaluation_id: str,
    claim: dict[str, Any],
    examiner: Examiner,
    watcher: Watcher | None = None,
    keeps_claim: bool = False,
    stop: Event | None = None,
) -> ExamReport:
    """Examine a claimed candidate. Without marks for every criterion, the verdict is left to people.

    Whatever ends the exam without a verdict, the candidate waits for a proctor again, unless the hub is away. With
    `keeps_claim`, a candidate whose marks are left open stays claimed, because whoever runs this decides in the session.
    `stop` ends the waiting for an answer."""
    unheld = ExamReport(claim["candidate_name"], claim["session_id"], claim["registration_id"], None, [])
    try:
        brief = read_brief(account, evaluation_id, claim)
        report = hold_exam(account, brief, examiner, watcher or SilentWatcher(), stop)
    except HubSilent as fault:
        return unheld._replace(reasons=[str(fault)], is_interrupted=True)
    except (AgentFault, HubError) as fault:
        release(account, evaluation_id, claim)
        is_over = isinstance(fault, HubError) and is_conflict(fault)
        return unheld._replace(reasons=["The session has ended without a verdict." if is_over else str(fault)])
    except BaseException:
        release(account, evaluation_id, claim)
        raise
    if report.result is None and not (keeps_claim and report.is_held):
        release(account, evaluation_id, claim)
    return report


def release(account: HubAccount, evaluation_id: str, claim: dict[str, Any]) -> None:
    """Give the candidate back, if that is still possible. The claim of a hub that is away lapses."""
    with suppress(HubError, HubSilent):
        account.post(f"/evaluations/{evaluation_id}/proctor/release", {"registration_id": claim["registration_id"]})


def hold_exam(
    account: HubAccount, brief: ProctorBrief, examiner: Examiner, watcher: Watcher, stop: Event | None
) -> ExamReport:
    messages = converse(account, brief, examiner, watcher, stop)
    if is_waiting(messages) and messages[-1].prompt_id != CLOSING_ID:
        return report_of(brief, [f"The candidate gave no answer within {ANSWER_SECONDS:g} seconds."])
    return conclude(account, brief, examiner.mark(brief, messages))


def report_of(brief: ProctorBrief, reasons: list[str], result: dict[str, Any] | None = None) -> ExamReport:
    return ExamReport(brief.candidate_name, brief.session_id, brief.registration_id, result, reasons)


def converse(
    account: HubAccount, brief: ProctorBrief, examiner: Examiner, watcher: Watcher, stop: Event | None
) -> list[SessionMessage]:
    """Say what the examiner says and wait for each answer. Returns the transcript. An exam that has begun goes on."""
    messages = read_messages(account, brief.session_path)
    if messages and messages[-1].prompt_id == CLOSING_ID:
        return messages
    for _ in range(MAX_PROCTOR_MESSAGES):
        if is_waiting(messages):
            messages = wait_for_answer(account, brief, messages, stop)
            if is_waiting(messages):
                return messages
            watcher.show(brief.candidate_name, messages[-1].content)
        line = examiner.find_next_line(brief, messages)
        if line is None:
            break
        watcher.show("proctor", line.text)
        account.post(f"{brief.session_path}/messages", {"content": line.text, "prompt_id": line.id})
        messages = read_messages(account, brief.session_path)
    if brief.script and brief.script.closing:
        body = {"content": brief.script.closing, "prompt_id": CLOSING_ID}
        account.post(f"{brief.session_path}/messages", body)
    return read_messages(account, brief.session_path)


def wait_for_answer(
    account: HubAccount, brief: ProctorBrief, messages: list[SessionMessage], stop: Event | None
) -> list[SessionMessage]:
    """The transcript with the answer, or as it is when the time is over."""
    for _ in Pauses(ANSWER_SECONDS, stop):
        new = read_messages(account, brief.session_path, messages[-1].sequence)
        if new:
            return messages + new
        if account.get(brief.session_path)["session"]["status"] != "active":
            return messages
    return messages


def conclude(account: HubAccount, brief: ProctorBrief, marks: list[CriterionMark]) -> ExamReport:
    """Submit the verdict of the marks, or leave it to people if a criterion has none."""
    verdict = decide_by_marks(brief.script, marks)
    if verdict is None:
        open_marks = [f"{each.id}: {each.reason or 'nobody marks it.'}" for each in marks if each.mark is None]
        given = [criterion_data(each) for each in marks if each.mark is not None]
        return report_of(brief, open_marks or ["There are no criteria to mark."])._replace(marks=given, is_held=True)
    body = {
        "registration_id": brief.registration_id,
        "passed": verdict.passed,
        "proctor_feedback": ("\n".join(verdict.reasons) or "Every criterion has full marks.")[:MAX_FEEDBACK_CHARACTERS],
        "score": verdict.score if brief.has_score else None,
        "result_data": {"criteria": [criterion_data(each) for each in marks]},
    }
    result = account.post(f"{brief.path}/proctor/submit", body)["result"]
    return report_of(brief, verdict.reasons, result)
