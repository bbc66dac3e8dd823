"""What the owner does with a trace: analyse again, share, tag, delete."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.analyses import deleting, running
from viva.analyses.model import ANALYSIS_PARTS, AnalysisChoices
from viva.context import hub_of
from viva.kit.db import Connection
from viva.traces import sharing, store
from viva.traces.model import StoredTrace, check_tags, split_tags
from viva.web import pages
from viva.web.trace_access import MAX_TRACE_FORM_BYTES, TRACES_PATH, act_as_owner, trace_path, visit
from viva.web.wording import address


@post("/traces/{trace_id:str}/analyses", request_max_body_size=MAX_TRACE_FORM_BYTES)
async def analyse_again(request: Request, trace_id: str) -> Redirect:
    has_judge = bool(hub_of(request).judges)

    def action(db: Connection, trace: StoredTrace, fields: dict[str, str]) -> str:
        parts = tuple(part for part in ANALYSIS_PARTS if f"part-{part}" in fields)
        chosen = () if len(parts) == len(ANALYSIS_PARTS) else parts
        choices = AnalysisChoices(chosen, judge="judge" in fields, fast="fast" in fields)
        analysis_id = running.request_again(db, trace, choices, has_judge)
        return address(trace_path(trace.id), analysis=analysis_id)

    return await act_as_owner(request, trace_id, action)


@post("/traces/{trace_id:str}/share", request_max_body_size=MAX_TRACE_FORM_BYTES)
async def share(request: Request, trace_id: str) -> Redirect:
    """Make a share link, which the next page shows once; or revoke it."""

    def action(db: Connection, trace: StoredTrace, fields: dict[str, str]) -> str:
        if fields.get("do") == "revoke":
            sharing.revoke(db, trace.id, trace.owner_id)
            return address(trace_path(trace.id), unshared="1")
        return f"{address(trace_path(trace.id), share=sharing.share(db, trace.id, trace.owner_id))}#sharing"

    return await act_as_owner(request, trace_id, action)


@post("/traces/{trace_id:str}/tags", request_max_body_size=MAX_TRACE_FORM_BYTES)
async def change_tags(request: Request, trace_id: str) -> Redirect:
    def action(db: Connection, trace: StoredTrace, fields: dict[str, str]) -> str:
        store.set_tags(db, trace, check_tags(split_tags(fields.get("tags", ""))))
        return address(trace_path(trace.id), tagged="1")

    return await act_as_owner(request, trace_id, action)


@dataclass(frozen=True)
class DeleteTracePage:
    trace: StoredTrace

    @property
    def path(self) -> str:
        return trace_path(self.trace.id)


@get("/traces/{trace_id:str}/delete")
async def confirm_deletion(request: Request, trace_id: str) -> Response[str]:
    def read(db: Connection) -> DeleteTracePage:
        visited = visit(db, request, trace_id, share="")
        return DeleteTracePage(visited.trace)

    return await pages.show(request, "traces/delete.html", read)


@post("/traces/{trace_id:str}/delete", request_max_body_size=MAX_TRACE_FORM_BYTES)
async def delete(request: Request, trace_id: str) -> Redirect:
    def action(db: Connection, trace: StoredTrace, fields: dict[str, str]) -> str:
        deleting.delete_trace(db, trace.id, trace.owner_id)
        return address(TRACES_PATH, deleted="1")

    return await act_as_owner(request, trace_id, action)
