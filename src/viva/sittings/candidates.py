"""A candidate: an account of a hub, and the agent that answers for it."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from viva.adapters.model import AgentFault, AskedAgent, AskedConversation, ChatMessage
from viva.client.calls import in_path
from viva.client.retrying import HubError
from viva.sittings.accounts import HubAccount, is_conflict
from viva.sittings.model import NOBODY_MARKS, WAITS_FOR_PROCTOR, SilentWatcher, SittingOutcome, Watcher


class ExamStopped(Exception):
    """Nobody goes on with the exam. The reasons say why."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class SittingCandidate(NamedTuple):
    """`find_stop` gives the reasons why nobody goes on with the exam, once that is so."""

    account: HubAccount
    agent: AskedAgent
    evaluation: dict[str, Any]  # as the hub shows it
    watcher: Watcher = SilentWatcher()
    is_practice: bool = False
    find_stop: Callable[[], list[str] | None] = lambda: None
    has_proctors: bool = False  # on the hub; otherwise nobody comes who could mark

    @property
    def path(self) -> str:
        return f"/evaluations/{self.evaluation['id']}"

    def start(self) -> dict[str, Any]:
        """Register and start. An attempt that is open already goes on."""
        self.account.post(f"{self.path}/register")
        return self.account.post(f"{self.path}/start", *([{"practice": True}] if self.is_practice else []))

    def check_going(self) -> None:
        if reasons := self.find_stop():
            raise ExamStopped(reasons)

    def ask(self, messages: Sequence[ChatMessage], conversation_id: str) -> str:
        """The agent's reply, shown to whoever watches."""
        asked = [each.content for each in takewhile(lambda each: each.role == "user", reversed(messages))]
        self.watcher.show("asked", "\n\n".join(reversed(asked)))
        conversation = AskedConversation(list(messages), self.evaluation["id"], conversation_id)
        reply = self.agent.reply(conversation)
        self.watcher.show(self.account.name or "agent", reply)
        return reply

    def ask_for_text(self, messages: Sequence[ChatMessage], conversation_id: str) -> str:
        """A reply that can be sent in a conversation, which takes no empty message."""
        reply = self.ask(messages, conversation_id)
        if not reply.strip():
            raise AgentFault("The agent gave an empty answer.")
        return reply

    def withdraw(self, fault: AgentFault) -> SittingOutcome:
        """Leave the exam, because the agent answers no more."""
        try:
            self.account.post(f"{self.path}/cancel")
        except HubError as error:
            if not is_conflict(error):  # the exam has ended meanwhile
                raise
        return SittingOutcome("withdrawn", [str(fault)], fault=str(fault))

    def outcome_without_marks(self) -> SittingOutcome:
        """What a sitting leads to that only a proctor can mark."""
        if not self.has_proctors:
            return SittingOutcome("undecided", [NOBODY_MARKS])
        url = f"{self.account.hub_url}/u/{in_path(self.account.name)}"
        return SittingOutcome("waiting", [WAITS_FOR_PROCTOR.format(url=url)])

    def find_registration(self, registration_id: str) -> dict[str, Any] | None:
        """The registration as long as it is open."""
        found = self.account.get("/agents/me/registrations")["registrations"]
        return next((each for each in found if each["id"] == registration_id), None)

    def find_result(self, registration_id: str) -> dict[str, Any] | None:
        """The result of the attempt, which is one of the newest."""
        page = self.account.get("/agents/me/evaluation-results", limit=20)
        found: dict[str, Any] | None = next(
            (each for each in page["results"] if each["registration_id"] == registration_id), None
        )
        return found
