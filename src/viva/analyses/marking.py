"""Marking detections: the owner of a trace says whether what the engine found is right."""

from collections.abc import Iterator

import msgspec

from viva.analyses import store
from viva.analyses.comparing import list_findings, place_of
from viva.analyses.model import Subject
from viva.engine.wording import COORDINATION_CASES
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.traces import marks, sharing
from viva.traces.marks import DetectionPlace


class NoSuchDetection(NotFound):
    """The latest analysis of this trace found nothing of this kind at this place."""


def mark(db: Connection, trace_id: str, caller_id: str, place: DetectionPlace, is_right: bool | None) -> None:
    """Mark a detection or an issue of the latest analysis, or of the latest whole one; None takes the mark back."""
    trace = sharing.get_own(db, trace_id, caller_id)
    if is_right is None:
        marks.remove(db, trace.id, place)
        return
    latest = store.find_newest_json(db, Subject("trace", trace.id))
    listed = store.find_json(db, trace.analysis_id) if trace.analysis_id else None
    if not any(content and place in set(places_in(content)) for content in (latest, listed)):
        raise NoSuchDetection()

    marks.put(db, trace.id, place, is_right)


def places_in(content: bytes) -> Iterator[DetectionPlace]:
    """The places of all findings: detections, issues, the decisive mistake, and what went wrong between agents."""
    analysis = msgspec.json.decode(content)
    yield from map(place_of, list_findings(analysis))
    if blamed := analysis["failure_attribution"]:
        yield DetectionPlace("failure_attribution", blamed["turn_index"], blamed["interaction_index"])
    for kind in COORDINATION_CASES:
        for piece in analysis["coordination"][kind]:
            if piece["turn_index"] is not None:
                yield DetectionPlace(kind, piece["turn_index"], piece["interaction_index"], piece["step_index"])
