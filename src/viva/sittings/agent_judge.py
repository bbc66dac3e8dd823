"""An agent as a judge: it gets the same questions as a judging model, with quoted texts and a control question."""

import re
from collections.abc import Sequence
from secrets import token_hex
from typing import Any, Self

import msgspec

from viva.adapters.model import AgentFault, AskedAgent, AskedConversation, ChatMessage
from viva.judging.model import JudgeQuestion, Rulings, RulingType, Usage
from viva.judging.prompting import messages

JSON_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
MAX_JSON_CHARACTERS = 20_000  # of a reply in which an object is looked for


class AgentJudge:
    """One agent behind the port of judges. An answer gets one reading: a reply that is no ruling is not asked for again."""

    def __init__(self, agent: AskedAgent, evaluation_id: str) -> None:
        self.model = agent.name
        self._agent = agent
        self._evaluation_id = evaluation_id

    def ask(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        rulings = [self._ask_one(question) for question in questions]
        return Rulings(rulings, Usage(calls=len(questions)), [False] * len(questions))

    def with_full_budget(self) -> Self:
        return self

    def _ask_one(self, question: JudgeQuestion[RulingType]) -> RulingType | None:
        chat = [ChatMessage(each["role"], each["content"]) for each in messages(question)]
        try:
            # Each question is a conversation of its own, so that none is marked by what the agent said of another.
            reply = self._agent.reply(AskedConversation(chat, self._evaluation_id, f"marking-{token_hex(8)}"))
        except AgentFault:
            return None
        return question.read(read_object(reply))


def read_object(reply: str) -> Any:
    """The JSON object in a reply, which may stand between other words; None if there is none."""
    found = JSON_OBJECT.search(reply[:MAX_JSON_CHARACTERS])
    try:
        return msgspec.json.decode(found.group()) if found else None
    except (msgspec.DecodeError, RecursionError):
        return None
