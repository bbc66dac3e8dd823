"""Makes a trace of the conversation that a form has read. What was not understood is named, or refuses the whole."""

from typing import Any

from viva.engine.intake import native
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import Limits
from viva.engine.intake.messages import ConversationBuilder, UnreadPart
from viva.engine.intake.plain import text_length
from viva.engine.model import Trace

MAX_UNREAD_SHARE = 0.05  # of all characters; with more of it missing, the scores would be those of another run
MAX_DROPPED_LISTED = 100  # the rest is only counted
NOT_UNDERSTOOD = "not_understood"  # the code of such a refusal


def make_trace(built: ConversationBuilder, about: dict[str, Any], name: str | None, limits: Limits) -> Trace:
    """The trace, or BadTrace. `about` has fields of our own format; `agents` there replaces those who speak."""
    if not built.turns:
        refuse("", NOT_UNDERSTOOD, "no message of a user or an agent is found in it")
    check_understood(built)
    known = {key: value for key, value in about.items() if value is not None}
    agents = [{"id": agent, "name": agent} for agent in built.agents]
    return native.read_plain(
        {"agents": agents, "turns": built.turns, "dropped": list_dropped(built.unread)} | known, name, limits
    )


def check_understood(built: ConversationBuilder) -> None:
    """Refuse a run if it is unknown what a user asked or the agents answered, or if much of it was not read."""
    if built.request_gap:
        refuse_part(built.request_gap, "a user's message")
    if built.answer_gap:
        refuse_part(built.answer_gap, "the final answer")
    unread = sum(part.characters for part in built.unread)
    share = unread / max(1, unread + text_length(built.turns))
    if share > MAX_UNREAD_SHARE:
        first = built.unread[0]
        refuse(first.path, NOT_UNDERSTOOD, f"{share:.0%} of the characters are not understood: this {first.why}")


def refuse_part(part: UnreadPart, message: str) -> None:
    refuse(part.path, NOT_UNDERSTOOD, f"{message} is not understood: this {part.why}")


def list_dropped(unread: list[UnreadPart]) -> list[dict[str, str]]:
    listed = [{"path": part.path, "why": part.why} for part in unread[:MAX_DROPPED_LISTED]]
    rest = len(unread) - len(listed)
    return [*listed, {"path": "trace", "why": f"{rest:,} more parts are not read"}] if rest else listed
