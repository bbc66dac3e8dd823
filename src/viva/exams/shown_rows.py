"""The rows of an export, as one viewer may see them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from viva.agents.model import Agent
from viva.exams.redacting import hides_feedback, redact_data
from viva.exams.revealing import ResultView
from viva.kit.db import Connection
from viva.results.export import EXPORT_COLUMN_NAMES, ExportRow
from viva.results.markers import proctors_of


class ShownRows:
    """Shows the rows of an export to one viewer, batch by batch."""

    def __init__(self, secret: bytes, viewer: Agent | None) -> None:
        self.secret = secret
        self.viewer = viewer

    def show(self, db: Connection, rows: Sequence[ExportRow]) -> list[ExportRow]:
        view = ResultView(db, self.secret, self.viewer)
        return [show_row(view, dict(zip(EXPORT_COLUMN_NAMES, row, strict=True))) for row in rows]


def show_row(view: ResultView, row: dict[str, Any]) -> ExportRow:
    disclosure = view.disclosure_of(row["evaluation_id"], row["evaluation_version"])
    data = msgspec.json.decode(row["result_data"]) if row["result_data"] and disclosure.hides_texts else None
    part = disclosure.part_of(row["agent_id"], proctors_of(row["proctor_agent_id"], data))
    if data is not None and part != "all":
        shown = redact_data(data, disclosure.handler, disclosure.hidden, part)
        row["result_data"] = msgspec.json.encode(shown).decode()
    if hides_feedback(disclosure.handler, disclosure.hidden, part):
        row["proctor_feedback"] = None
    row["evaluation_digest_key"] = view.key.id if row["evaluation_digest"] else None
    row["evaluation_digest"] = view.key.publish(row["evaluation_digest"])
    return list(row.values())
