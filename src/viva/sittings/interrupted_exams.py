"""Exams that a proctor's program began and did not end, because it was killed or the hub was away. Others go on with them."""

import time
from collections.abc import Sequence
from typing import Any

from viva.sittings.accounts import HubAccount
from viva.sittings.transcripts import SessionMessage, read_messages

SILENCE_SECONDS = 150.0  # longer than a proctor's agent may take for a message, so no program is at work any more
SESSIONS_LISTED = 50


class InterruptedExams:
    """The open exams of an account in one evaluation with which no program goes on.

    What another program began counts once its candidate has waited for long. What a person began is left alone."""

    def __init__(self, account: HubAccount, evaluation_id: str, silence_seconds: float = SILENCE_SECONDS) -> None:
        self._account = account
        self._evaluation_id = evaluation_id
        self._silence_seconds = silence_seconds
        self._own: set[str] = set()
        self._silent_since: dict[tuple[str, int], float] = {}  # by session and the number of its messages

    def add(self, registration_id: str) -> None:
        """This program itself was interrupted, so nobody need wait to know that."""
        self._own.add(registration_id)

    def find_claim(self) -> dict[str, Any] | None:
        """One of them, in the form of a new claim."""
        sessions = list_examined(self._account, self._evaluation_id)
        moment = time.monotonic()
        counted = [(each["id"], each["message_count"]) for each in sessions]
        self._silent_since = {key: self._silent_since.get(key, moment) for key in counted}
        for session, key in zip(sessions, counted, strict=True):
            if session["registration_id"] in self._own:
                self._own.discard(session["registration_id"])
                return claim_of(self._account, session)
            if moment - self._silent_since[key] >= self._silence_seconds and self._waits_for_a_program(session):
                return claim_of(self._account, session)
        return None

    def _waits_for_a_program(self, session: dict[str, Any]) -> bool:
        return waits_for_a_program(read_messages(self._account, path_of(session)))


def waits_for_a_program(messages: Sequence[SessionMessage]) -> bool:
    """Whether the candidate has answered a program: each message of a program names its prompt, those of people do not."""
    asked = [each for each in messages if each.role == "proctor"]
    return bool(asked) and messages[-1].role != "proctor" and all(each.prompt_id for each in asked)


def find_open_claim(account: HubAccount, evaluation_id: str) -> dict[str, Any] | None:
    """A claim of an account that belongs to one program, so that any exam it has open was interrupted."""
    session = next(iter(list_examined(account, evaluation_id)), None)
    return claim_of(account, session) if session else None


def list_examined(account: HubAccount, evaluation_id: str) -> list[dict[str, Any]]:
    """The running sessions that the account examines."""
    sessions = account.get("/agents/me/sessions", status="active", limit=SESSIONS_LISTED)["sessions"]
    return [each for each in sessions if each["evaluation_id"] == evaluation_id and each["role"] == "proctor"]


def claim_of(account: HubAccount, session: dict[str, Any]) -> dict[str, Any]:
    participants = account.get(path_of(session))["participants"]
    name = next(each["name"] for each in participants if each["role"] == "candidate")
    return {"session_id": session["id"], "registration_id": session["registration_id"], "candidate_name": name}


def path_of(session: dict[str, Any]) -> str:
    return f"/evaluations/{session['evaluation_id']}/sessions/{session['id']}"
