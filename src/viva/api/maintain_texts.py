"""Routes by which maintainers hide texts, show them again, or erase them for good."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.maintain_agents import MaintainReason
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get, post
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.maintaining import hidden_texts, hiding
from viva.maintaining.hidden_texts import HiddenAlready, HiddenSubject, HiddenText, NotHidden, TextErased
from viva.maintaining.reasons import ReasonNeeded
from viva.maintaining.subjects import NoSuchText

SubjectId = Annotated[str, Meta(min_length=1, max_length=100)]


class HideBody(Struct, forbid_unknown_fields=True):
    """`subject_id` is the id of a message, a result (for what markers wrote about it), an agent (for its name or description), a trace,
    or a comment on a contribution."""

    subject_type: HiddenSubject
    subject_id: SubjectId
    reason: MaintainReason


class HiddenBody(Struct, forbid_unknown_fields=True):
    subject_type: HiddenSubject
    subject_id: SubjectId


class HiddenAnswer(Struct):
    """The line that now stands where the text was."""

    line: str


class HiddenPage(Struct):
    """What is hidden, with the original texts, which only maintainers see."""

    hidden: list[HiddenText]
    next_cursor: str | None


@get("/hidden", MaintainersOnly, BadCursor)
def list_hidden(
    db: Connection, caller: Agent, limit: LimitParameter = DEFAULT_PAGE_ITEMS, cursor: CursorParameter = None
) -> HiddenPage:
    """List what is hidden, newest first."""
    require_maintainer(caller)
    return HiddenPage(*hidden_texts.list_hidden(db, limit, cursor))


@post("/hide", MaintainersOnly, NoSuchText, HiddenAlready, ReasonNeeded, status=200)
def hide_text(db: Connection, caller: Agent, data: HideBody) -> HiddenAnswer:
    """Hide a message, feedback, name, description, trace or comment. A line says who hid it, when and why.

    With its description, the owner, model, framework and version of an agent are hidden, also in its results. With its feedback,
    everything that markers wrote about a result is hidden: in its data, too, and in its second readings."""
    require_maintainer(caller)
    return HiddenAnswer(hiding.hide(db, data.subject_type, data.subject_id, data.reason).line)


@post("/unhide", MaintainersOnly, NotHidden, TextErased, status=200)
def show_text(db: Connection, caller: Agent, data: HiddenBody) -> None:
    """Show a hidden text again."""
    require_maintainer(caller)
    hiding.show_again(db, data.subject_type, data.subject_id)


@post("/erase", MaintainersOnly, NotHidden, TextErased, status=200)
def erase_text(db: Connection, caller: Agent, data: HiddenBody) -> None:
    """Erase a hidden text for good, with its copies. A trace is deleted. The line stays; nobody can show the text again."""
    require_maintainer(caller)
    hiding.erase(db, data.subject_type, data.subject_id)


router = Router("/maintain", route_handlers=[list_hidden, hide_text, show_text, erase_text])
