"""The marks of a dataset as labels, one JSON object a line."""

import msgspec
from litestar import Request, Response, get

from viva.context import hub_of, read_slowly
from viva.kit.db import Connection
from viva.traces import marks
from viva.traces.marks import DetectionLabel
from viva.web import logins, pages
from viva.web.trace_access import TRACES_PATH
from viva.web.trace_datasets import SignInForDataset

LABELS_PER_READ = 200
MAX_LABELS_DOWNLOADED = 20_000  # the API has the rest, page by page
LABEL_HEADERS = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="labels.jsonl"'}


@get(f"{TRACES_PATH}/datasets/{{name:str}}/labels.jsonl")
async def download_labels(request: Request, name: str) -> Response[bytes]:
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)

    def unit(db: Connection) -> bytes:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            raise SignInForDataset()
        return b"".join(msgspec.json.encode(label) + b"\n" for label in list_labels(db, viewer.id, name))

    lines = await read_slowly(hub.database, unit)
    return Response(lines, media_type="application/x-ndjson", headers=LABEL_HEADERS)


def list_labels(db: Connection, owner_id: str, name: str) -> list[DetectionLabel]:
    labels: list[DetectionLabel] = []
    cursor: str | None = None
    while len(labels) < MAX_LABELS_DOWNLOADED:
        found = marks.list_of_dataset(db, owner_id, name, LABELS_PER_READ, cursor)
        labels += found.items
        cursor = found.next_cursor
        if cursor is None:
            break
    return labels
