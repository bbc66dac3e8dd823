"""The owner's answer to "Is this wrong?" about one finding."""

import re

from litestar import Request, post
from litestar.response import Redirect

from viva.analyses import marking
from viva.kit.db import Connection
from viva.traces.marks import NO_INDEX, DetectionPlace
from viva.traces.model import StoredTrace
from viva.web.forms import number
from viva.web.trace_access import MAX_TRACE_FORM_BYTES, act_as_owner, trace_path
from viva.web.wording import address

ANSWERS = {"yes": True, "no": False}
BACK_PATTERN = re.compile(r"(note|finding)-\d{1,9}")
MAX_INDEX = 2**31 - 1  # of the column


@post("/traces/{trace_id:str}/marks", request_max_body_size=MAX_TRACE_FORM_BYTES)
async def mark_finding(request: Request, trace_id: str) -> Redirect:
    """Save the mark, and go back to the finding. Without an answer the mark is taken back."""

    def action(db: Connection, trace: StoredTrace, fields: dict[str, str]) -> str:
        marking.mark(db, trace.id, trace.owner_id, place_in(fields), ANSWERS.get(fields.get("is_right", "")))
        return back_to(trace, fields)

    return await act_as_owner(request, trace_id, action)


def place_in(fields: dict[str, str]) -> DetectionPlace:
    turn, interaction, step = (index_in(fields.get(f"{name}_index", "")) for name in ("turn", "interaction", "step"))
    return DetectionPlace(fields.get("kind", ""), NO_INDEX if turn is None else turn, interaction, step)


def index_in(text: str) -> int | None:
    value = number(text)
    return int(value) if NO_INDEX < value <= MAX_INDEX else None


def back_to(trace: StoredTrace, fields: dict[str, str]) -> str:
    back = fields.get("back", "")
    anchor = f"#{back}" if BACK_PATTERN.fullmatch(back) else ""
    turn = int(number(fields.get("shown", ""))) if fields.get("shown", "").isdigit() else ""
    return f"{address(trace_path(trace.id), turn=turn)}{anchor}"
