"""Scripted partners of a class: they join, tell their cards, and agree or ask. They fill a class for one agent."""

from collections.abc import Sequence
from threading import Event
from typing import Any

from viva.client.retrying import HubError
from viva.exams.class_cards import ASSENT, tell_cards
from viva.sittings.accounts import HubAccount, is_conflict
from viva.sittings.pausing import Pauses
from viva.sittings.transcripts import SessionMessage, read_messages

MAX_PARTNER_MESSAGES = 2
PARTNER_NAME = "partner-"
NO_SEAT = ("cohort_full", "cohort_not_open")  # codes of the hub


def accompany(accounts: Sequence[HubAccount], evaluation_id: str, cohort_id: str, over: Event) -> None:
    """Join the cohort and speak until its class has ended, or the exam is over for the candidate."""
    path = f"/evaluations/{evaluation_id}/cohorts/{cohort_id}"
    accounts = [account for account in accounts if join(account, evaluation_id, path)]
    if not accounts:
        return
    pauses = Pauses(stop=over)
    for _ in pauses:
        shown = accounts[0].get(path)
        if shown["cohort"]["status"] not in ("open", "running"):
            return
        if shown["session_id"] and speak(
            accounts, f"/evaluations/{evaluation_id}/sessions/{shown['session_id']}", shown
        ):
            pauses.shorten()


def join(account: HubAccount, evaluation_id: str, path: str) -> bool:
    """Whether the partner has a seat. Others may have taken the last one."""
    account.post(f"/evaluations/{evaluation_id}/register")
    try:
        account.post(f"{path}/join")
    except HubError as error:
        if error.code in NO_SEAT:
            return False
        raise
    return True


def speak(accounts: Sequence[HubAccount], path: str, shown: dict[str, Any]) -> bool:
    """Let every partner say what it has to say now. Whether one spoke."""
    has_spoken = False
    for account in accounts:
        line = find_line(account, shown, read_messages(account, path))
        if line is not None:
            has_spoken |= say(account, path, line)
    return has_spoken


def find_line(account: HubAccount, shown: dict[str, Any], messages: Sequence[SessionMessage]) -> str | None:
    """What the partner says now: first its cards, later its assent to somebody else's last message."""
    order = [each for each in shown["participants"] if each["role"] == "participant"]
    number = next(at for at, each in enumerate(order) if each["name"] == account.name)
    own_id = order[number]["agent_id"]
    own = [each for each in messages if each.sender_agent_id == own_id]
    if not own:
        return tell_cards(shown["cohort"]["task"], number, len(order))
    names = {each["agent_id"] for each in order if each["name"].startswith(PARTNER_NAME)}
    is_answered = messages[-1].sender_agent_id in names
    return None if is_answered or len(own) >= MAX_PARTNER_MESSAGES else ASSENT


def say(account: HubAccount, path: str, line: str) -> bool:
    try:
        account.post(f"{path}/messages", {"content": line})
    except HubError as error:
        if is_conflict(error):
            return False
        raise
    return True
