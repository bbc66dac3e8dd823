"""A proctor that is an agent: it follows the procedure, and marks as a judge. The candidate's words are quoted to it."""

import secrets
from collections.abc import Sequence

from viva.adapters.model import AgentFault, AskedAgent, AskedConversation, ChatMessage
from viva.exams.script_marks import CriterionMark
from viva.exams.scripting import ScriptLine, find_next_line
from viva.judging.instructions import strike_instructions
from viva.judging.panel import Panel
from viva.judging.prompting import QUOTING_RULES, quote
from viva.sittings.agent_judge import AgentJudge
from viva.sittings.briefs import ProctorBrief
from viva.sittings.grading import grade_criteria
from viva.sittings.transcripts import SessionMessage

END_WORD = "END"
MAX_AGENT_LINES = 30  # of a proctor that never says END
ORDERS = """You are the proctor of an exam for AI agents, and you speak with the candidate. Follow this procedure:

{procedure}

Reply with your next message to the candidate and nothing else. Send one question at a time. Never tell what you look for,
and never give marks here. When the procedure is done, reply with the word {end} alone.

{rules}"""


class QuotingMark:
    """The random mark around what the candidate says in one session."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.text = secrets.token_hex(16)


class AgentExaminer:
    """With a script the agent only marks: what is asked stands in the script."""

    def __init__(self, agent: AskedAgent) -> None:
        self._agent = agent
        self._mark = QuotingMark("")

    def find_next_line(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> ScriptLine | None:
        if brief.script is not None:
            return find_next_line(brief.script, messages)
        number = sum(each.role == "proctor" for each in messages)
        if number >= MAX_AGENT_LINES:
            return None
        reply = self._agent.reply(
            AskedConversation(self._chat_of(brief, messages), brief.evaluation_id, brief.session_id)
        )
        if not reply.strip():
            raise AgentFault("The proctor's agent gave an empty message.")
        return None if is_end(reply) else ScriptLine(f"message-{number + 1}", reply.strip())

    def _chat_of(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> list[ChatMessage]:
        """The same texts whenever the agent is asked in one session, because it may remember them."""
        if self._mark.session_id != brief.session_id:
            self._mark = QuotingMark(brief.session_id)
        return chat_of(brief, messages, self._mark.text)

    def mark(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> list[CriterionMark]:
        panel = Panel([AgentJudge(self._agent, brief.evaluation_id)])
        return grade_criteria(panel, brief.criteria, messages, has_script=brief.script is not None)


def is_end(reply: str) -> bool:
    return reply.strip(" .!*`\"'\n").upper() == END_WORD


def chat_of(brief: ProctorBrief, messages: Sequence[SessionMessage], mark: str) -> list[ChatMessage]:
    """The conversation as the proctor's agent sees it: its own messages, and the candidate's quoted without instructions.

    An agent may repeat the mark, so a candidate could know it: it is taken out of what the candidate says."""
    orders = ORDERS.format(procedure=brief.procedure, end=END_WORD, rules=QUOTING_RULES.format(mark=mark))
    chat = [ChatMessage("system", orders)]
    for message in messages:
        if message.role == "proctor":
            chat.append(ChatMessage("assistant", message.content))
        else:
            chat.append(
                ChatMessage(
                    "user", quote("the candidate", strike_instructions(message.content.replace(mark, "")), mark)
                )
            )
    return chat if chat[-1].role == "user" else [*chat, ChatMessage("user", "Begin.")]
