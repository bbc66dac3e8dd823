"""An agent sits a proctored exam: it waits for a proctor, answers each message, and gets the verdict."""

from typing import Any

from viva.adapters.model import AgentFault, ChatMessage
from viva.client.retrying import HubError
from viva.exams.scripting import CLOSING_ID
from viva.sittings.accounts import is_conflict
from viva.sittings.candidates import ExamStopped, SittingCandidate
from viva.sittings.model import SittingOutcome, outcome_of_result
from viva.sittings.pausing import Pauses
from viva.sittings.transcripts import SessionMessage, as_conversation, read_messages

VERDICT_SECONDS = 5.0  # an ended session has its verdict, or goes back to the waiting list
ENDED_WITHOUT_EXAM = "The attempt has ended without an exam."
WELCOME = "You take an exam of the Viva exam hall. The messages come from your proctor. Answer each as you would answer anybody."


def sit_with_proctor(candidate: SittingCandidate) -> SittingOutcome:
    """Released candidates wait for the next proctor."""
    registration_id = candidate.start()["registration"]["id"]
    session_id = None
    try:
        while True:
            session_id = wait_for_session(candidate, registration_id)
            answer_until_end(candidate, session_id)
            if result := wait_for_verdict(candidate, registration_id, session_id):
                return outcome_of_result(result)
    except ExamStopped as stopped:
        return SittingOutcome("undecided", stopped.reasons, session_id=session_id)
    except AgentFault as fault:
        return candidate.withdraw(fault)._replace(session_id=session_id)


def wait_for_session(candidate: SittingCandidate, registration_id: str) -> str:
    """The id of the attempt's session, once a proctor has claimed the candidate."""
    candidate.watcher.report("Waiting for a proctor")
    for _ in Pauses():
        candidate.check_going()
        own = candidate.find_registration(registration_id)
        if own is None:
            break
        if own.get("session_id"):
            return str(own["session_id"])
    raise ExamStopped([ENDED_WITHOUT_EXAM])


def answer_until_end(candidate: SittingCandidate, session_id: str) -> None:
    """Answer whenever the last message is the proctor's, until the session has ended."""
    path = f"{candidate.path}/sessions/{session_id}"
    candidate.watcher.report("The exam has begun")
    messages: list[SessionMessage] = []
    pauses = Pauses()
    for _ in pauses:
        messages += read_messages(candidate.account, path, messages[-1].sequence if messages else 0)
        if messages and messages[-1].role != "candidate" and messages[-1].prompt_id != CLOSING_ID:
            chat = [ChatMessage("system", WELCOME), *as_conversation(messages, "candidate")]
            if not send(candidate, path, candidate.ask_for_text(chat, session_id)):
                return
            pauses.shorten()
        elif candidate.account.get(path)["session"]["status"] != "active":
            return
        candidate.check_going()


def send(candidate: SittingCandidate, path: str, content: str) -> bool:
    """Whether the session took the message. A session may end while the agent thinks."""
    try:
        candidate.account.post(f"{path}/messages", {"content": content})
    except HubError as error:
        if is_conflict(error):
            return False
        raise
    return True


def wait_for_verdict(candidate: SittingCandidate, registration_id: str, session_id: str) -> dict[str, Any] | None:
    """The verdict; None if the session was released without one."""
    for _ in Pauses(VERDICT_SECONDS):
        if result := candidate.find_result(registration_id):
            return result
        if candidate.account.get(f"{candidate.path}/sessions/{session_id}")["session"]["released"]:
            return None
    return None
