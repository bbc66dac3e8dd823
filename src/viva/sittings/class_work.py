"""An agent does class work: it joins a cohort, speaks in its turn, and leads the class if it opened it."""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from viva.adapters.model import AgentFault, ChatMessage
from viva.client.retrying import HubError
from viva.sittings.accounts import is_conflict
from viva.sittings.candidates import ExamStopped, SittingCandidate
from viva.sittings.model import SittingOutcome
from viva.sittings.pausing import Pauses
from viva.sittings.solo import wait_for_marks, wait_if_handed_in
from viva.sittings.transcripts import SessionMessage, as_conversation, read_messages

MAX_OWN_MESSAGES = 12
QUIET_SECONDS = 1.0  # without a new message, before a leader ends the class; an agent takes its time before it speaks
GATHERING_SECONDS = 1.0  # that a leader waits for more than the smallest class
LEADER_ABSENCE_SECONDS = 60.0  # between tries to start in the place of a leader; the hub says when one is absent
TOO_FEW_SPOKE = "The class was cancelled, because too few of its participants spoke."
FORBIDDEN = 403
PASS_WORD = "PASS"  # noqa: S105 - no password
ORDERS = """You work on a task together with other agents, in one conversation.

{task}

The participants, in their order: {names}. You are {own}. Reply with your next message to the others and nothing else. If you
have nothing to add, reply with the word {word} alone."""


class ClassSeat(NamedTuple):
    """The candidate's place in a running class."""

    path: str
    session_path: str
    own_id: str
    is_leader: bool
    orders: str


def sit_in_class(candidate: SittingCandidate) -> SittingOutcome:
    started = candidate.start()
    registration = started["registration"]
    if handed_in := wait_if_handed_in(candidate, registration["id"]):
        return handed_in
    cohort_path = f"{candidate.path}/cohorts/{started['cohort']['id']}"
    try:
        seat = wait_for_class(candidate, cohort_path, registration["agent_id"])
        work(candidate, seat)
        job_id = finish(candidate, seat)
    except ExamStopped as stopped:
        return SittingOutcome("undecided", stopped.reasons)
    except AgentFault as fault:
        return candidate.withdraw(fault)
    if job_id is None:
        return SittingOutcome("undecided", [TOO_FEW_SPOKE])
    return wait_for_marks(candidate, job_id, registration["id"])


def wait_for_class(candidate: SittingCandidate, path: str, own_id: str) -> ClassSeat:
    """Wait until the class runs. Its leader starts it once enough have joined, or anybody if the leader is absent."""
    candidate.watcher.report("Waiting for the class")
    enough_since: float | None = None
    for _ in Pauses():
        candidate.check_going()
        shown = candidate.account.get(path)
        cohort = shown["cohort"]
        if cohort["status"] == "running":
            return seat_of(candidate, path, own_id, shown)
        if cohort["status"] != "open":
            raise ExamStopped(["The class was cancelled before it began."])
        if cohort["participant_count"] >= cohort["min_participants"]:
            enough_since = enough_since or time.monotonic()
            seconds = GATHERING_SECONDS if leads(cohort, own_id) else LEADER_ABSENCE_SECONDS
            if time.monotonic() - enough_since >= seconds:
                start(candidate, path)
                enough_since = None
    raise ExamStopped(["The class did not begin."])


def start(candidate: SittingCandidate, path: str) -> None:
    try:
        candidate.account.post(f"{path}/start")
    except HubError as error:
        if not is_conflict(error) and error.status != FORBIDDEN:  # a full class starts by itself; a leader may come yet
            raise


def leads(cohort: dict[str, Any], own_id: str) -> bool:
    return bool((cohort["instructor_agent_id"] or cohort["opened_by_agent_id"]) == own_id)


def seat_of(candidate: SittingCandidate, path: str, own_id: str, shown: dict[str, Any]) -> ClassSeat:
    present = [each for each in shown["participants"] if each["left_at"] is None and each["role"] == "participant"]
    names = ", ".join(f"{number}. {each['name']}" for number, each in enumerate(present, 1))
    orders = ORDERS.format(task=shown["cohort"]["task"], names=names, own=candidate.account.name, word=PASS_WORD)
    session_path = f"{candidate.path}/sessions/{shown['session_id']}"
    return ClassSeat(path, session_path, own_id, leads(shown["cohort"], own_id), orders)


def work(candidate: SittingCandidate, seat: ClassSeat) -> None:
    """Speak whenever somebody else has spoken, until the class ends or, for a leader, is quiet."""
    candidate.watcher.report("The class has begun")
    messages: list[SessionMessage] = []
    heard = -1  # the number of messages that the agent has been asked about
    pauses, quiet_since = Pauses(), time.monotonic()
    for _ in pauses:
        candidate.check_going()
        new = read_messages(candidate.account, seat.session_path, messages[-1].sequence if messages else 0)
        messages += new
        own = sum(each.sender_agent_id == seat.own_id for each in messages)
        if len(messages) > heard and own < MAX_OWN_MESSAGES and not is_own(messages, seat):
            heard = len(messages)
            if not speak(candidate, seat, messages):
                return
            pauses.shorten()
            quiet_since = time.monotonic()
        elif new:
            quiet_since = time.monotonic()
        elif (seat.is_leader and own and time.monotonic() - quiet_since > QUIET_SECONDS) or candidate.account.get(
            seat.session_path
        )["session"]["status"] != "active":
            return


def is_own(messages: Sequence[SessionMessage], seat: ClassSeat) -> bool:
    return bool(messages) and messages[-1].sender_agent_id == seat.own_id


def speak(candidate: SittingCandidate, seat: ClassSeat, messages: Sequence[SessionMessage]) -> bool:
    """Ask the agent and send what it says. False if the session has ended meanwhile."""
    chat = [ChatMessage("system", seat.orders), *as_conversation(messages, own_id=seat.own_id)]
    if chat[-1].role != "user":
        chat.append(ChatMessage("user", "You speak first."))
    reply = candidate.ask_for_text(chat, seat.session_path)
    if reply.strip(" .!*`\"'\n").upper() == PASS_WORD:
        return True
    try:
        candidate.account.post(f"{seat.session_path}/messages", {"content": reply})
    except HubError as error:
        if is_conflict(error):
            return False
        raise
    return True


def finish(candidate: SittingCandidate, seat: ClassSeat) -> str | None:
    """The job that marks the work. The leader ends the class; others wait for its end."""
    if seat.is_leader:
        try:
            ended = candidate.account.post(f"{seat.path}/finish")
        except HubError as error:
            if not is_conflict(error):
                raise
        else:
            return ended["job_id"] and str(ended["job_id"])
    for _ in Pauses():
        candidate.check_going()
        shown = candidate.account.get(seat.path)
        if shown["cohort"]["status"] not in ("open", "running"):
            return shown["job_id"] and str(shown["job_id"])
    return None
