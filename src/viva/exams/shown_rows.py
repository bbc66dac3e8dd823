"""The results of an export, as one viewer may see them."""

from typing import Any

import msgspec

from viva.agents.model import Agent
from viva.exams.redacting import hides_feedback, redact_data
from viva.exams.revealing import Disclosure, ResultView
from viva.kit.db import Connection
from viva.results.export import EXPORT_COLUMN_NAMES, ExportColumns
from viva.results.markers import proctors_of


class ShownRows:
    """Shows the results of an export to one viewer, batch by batch. All of them are of one evaluation."""

    def __init__(self, secret: bytes, viewer: Agent | None) -> None:
        self.secret = secret
        self.viewer = viewer

    def show(self, db: Connection, columns: ExportColumns) -> ExportColumns:
        view = ResultView(db, self.secret, self.viewer)
        shown = dict(zip(EXPORT_COLUMN_NAMES, columns, strict=True))
        digests = shown["evaluation_digest"]
        published = {digest: (view.key.publish(digest), view.key.id if digest else None) for digest in set(digests)}
        shown["evaluation_digest"] = [published[digest][0] for digest in digests]
        shown["evaluation_digest_key"] = [published[digest][1] for digest in digests]
        versions = set(zip(shown["evaluation_id"], shown["evaluation_version"], strict=True))
        hiding = {version: view.disclosure_of(evaluation_id, version) for evaluation_id, version in versions}
        if any(disclosure.hides_texts for disclosure in hiding.values()):
            hide_texts(hiding, shown)
        return list(shown.values())


def hide_texts(disclosures: dict[str, Disclosure], shown: dict[str, Any]) -> None:
    """Leave the words of markers out of the data and the feedback, and answers out of the data."""
    names = ("evaluation_version", "agent_id", "proctor_agent_id", "proctor_feedback", "result_data")
    texts = [hidden_texts(disclosures[version], *row) for version, *row in zip(*map(shown.get, names), strict=True)]
    shown["proctor_feedback"], shown["result_data"] = zip(*texts, strict=True)


def hidden_texts(
    disclosure: Disclosure, agent_id: str, proctor_id: str | None, feedback: str | None, result_data: str | None
) -> tuple[str | None, str | None]:
    """The feedback and the data of one result, as far as the viewer may read them."""
    if not disclosure.hides_texts:
        return feedback, result_data
    data = msgspec.json.decode(result_data) if result_data else None
    part = disclosure.part_of(agent_id, proctors_of(proctor_id, data))
    if data is not None and part != "all":
        redacted = redact_data(data, disclosure.handler, disclosure.hidden, part)
        result_data = msgspec.json.encode(redacted).decode()
    return None if hides_feedback(disclosure.handler, disclosure.hidden, part) else feedback, result_data
