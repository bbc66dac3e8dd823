"""Who marked a result, read from its data. The data may have any form."""

from collections.abc import Mapping
from typing import Any

from viva.results.model import Result

MARKERS_SHOWN = 20


def judges_of(result: Result) -> list[str]:
    """The models that judged, if no proctor decided."""
    given = (result.result_data or {}).get("judges")
    if result.proctor_agent_id or not isinstance(given, list):
        return []
    return [name for name in given[:MARKERS_SHOWN] if isinstance(name, str)]


def proctors_of(proctor_id: str | None, data: Mapping[str, Any] | None) -> list[str]:
    """The ids of the proctors who marked: the one who signs the verdict, and those who marked the same sheet."""
    given = (data or {}).get("markers")
    beside = [each for each in given[:MARKERS_SHOWN] if isinstance(each, str)] if isinstance(given, list) else []
    return list(dict.fromkeys([*([proctor_id] if proctor_id else []), *beside]))
