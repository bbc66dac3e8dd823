"""Who looks at a trace: its owner, or somebody with a share link; and forms that only the owner may send."""

from collections.abc import Callable
from typing import NamedTuple

from litestar import Request
from litestar.response import Redirect

from viva.agents.access import id_of
from viva.context import hub_of
from viva.kit.db import Connection
from viva.traces import sharing
from viva.traces.model import StoredTrace
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.queries import word
from viva.web.wording import address, path_part

TRACES_PATH = "/traces"
MAX_TRACE_FORM_BYTES = 8 * 1024  # tags, or the buttons of a finding


class TraceVisit(NamedTuple):
    """A trace as one visitor sees it. `share` is the token of a share link, if that is how they came."""

    trace: StoredTrace
    is_owner: bool
    share: str

    @property
    def path(self) -> str:
        return trace_path(self.trace.id)

    @property
    def query(self) -> dict[str, str]:
        return {"share": self.share} if self.share and not self.is_owner else {}


def trace_path(trace_id: str) -> str:
    return f"{TRACES_PATH}/{path_part(trace_id)}"


def visit(db: Connection, request: Request, trace_id: str, share: str | None = None) -> TraceVisit:
    """The trace, or the error that says who may see it."""
    viewer = pages.frame_of(request).viewer
    token = word(request, "share") if share is None else share
    trace = sharing.get_visible(db, trace_id, id_of(viewer), token)
    return TraceVisit(trace, id_of(viewer) == trace.owner_id, token)


# A form action of a trace's owner. It returns the address to redirect to.
TraceAction = Callable[[Connection, StoredTrace, dict[str, str]], str]


async def act_as_owner(request: Request, trace_id: str, action: TraceAction) -> Redirect:
    """Do what a form asks for, if the signed-in agent owns the trace."""
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    fields = fields_in(await request.body())

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return address("/login", next=trace_path(trace_id))
        return action(db, sharing.get_own(db, trace_id, viewer.id), fields)

    return Redirect(await pages.write(request, unit), status_code=303)
