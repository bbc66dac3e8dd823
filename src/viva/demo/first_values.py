"""The demo's texts are about the first value of each parameter, so its attempts and classes get these."""

from typing import Any

import msgspec

from viva.evaluations.item_filling import fill
from viva.evaluations.item_parameters import value_at
from viva.evaluations.text_filling import FilledTexts, list_text_items
from viva.kit.db import Connection


def first_texts(config: dict[str, Any]) -> FilledTexts:
    return {
        item.id: fill(item, [{name: value_at(parameter, 0) for name, parameter in item.parameters.items()}])[0].texts
        for item in list_text_items(config)
    }


def set_probes(db: Connection, config: dict[str, Any], registration_id: str) -> None:
    """Let the attempt have the first values in its probes."""
    if filled := first_texts(config):
        content = msgspec.json.encode({"filled": filled}).decode()
        db.execute("UPDATE evaluation_challenges SET content = ? WHERE registration_id = ?", [content, registration_id])


def set_task(db: Connection, config: dict[str, Any], cohort_id: str) -> None:
    """Let the class have the first values in its task."""
    if filled := first_texts(config):
        encoded = msgspec.json.encode(filled).decode()
        db.execute("UPDATE evaluation_cohorts SET filled = ? WHERE id = ?", [encoded, cohort_id])
