"""The raw JSON of a trace and of an analysis, for a browser that is signed in or has a share link."""

from litestar import Request, Response, get

from viva.agents.access import id_of
from viva.analyses import store as analyses
from viva.analyses.model import Subject
from viva.context import hub_of, read_slowly
from viva.kit.db import Connection, UnitOfWork
from viva.traces import sharing, store
from viva.web import logins, pages
from viva.web.queries import word
from viva.web.trace_show import choose_run

RAW_HEADERS = {"Cache-Control": "no-store"}
RAW_RUNS_LOOKED_AT = 20


@get("/traces/{trace_id:str}/trace.json")
async def show_raw_trace(request: Request, trace_id: str) -> Response[bytes]:
    return await answer_raw(request, trace_id, lambda db: store.read_json(db, trace_id))


@get("/traces/{trace_id:str}/analysis.json")
async def show_raw_analysis(request: Request, trace_id: str) -> Response[bytes]:
    def read(db: Connection) -> bytes:
        subject = Subject("trace", trace_id)
        runs = analyses.list_runs(db, subject, RAW_RUNS_LOOKED_AT, None).items
        chosen = choose_run(db, runs, subject, word(request, "analysis"))
        return analyses.read_json(db, chosen.id if chosen else "")

    return await answer_raw(request, trace_id, read)


async def answer_raw(request: Request, trace_id: str, read_json: UnitOfWork[bytes]) -> Response[bytes]:
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)

    def unit(db: Connection) -> bytes:
        viewer = logins.viewer(db, login_hash, request)
        sharing.get_visible(db, trace_id, id_of(viewer), word(request, "share"))
        return read_json(db)

    return Response(await read_slowly(hub.database, unit), media_type="application/json", headers=RAW_HEADERS)
