"""JSON Schemas of what authors write, for editors and programs. They are made from the types that Viva itself reads."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from viva.evaluations.configs import CONFIGS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def config_schema(type_: str) -> dict[str, Any]:
    """The JSON Schema of the `config` of one type."""
    schema = msgspec.json.schema(CONFIGS[type_])
    for part in schema["$defs"].values():
        part["description"] = " ".join(part.get("description", "").split())
    return {"$schema": DIALECT, "title": f"config of {type_}", **schema}


def config_schemas() -> dict[str, dict[str, Any]]:
    return {type_: config_schema(type_) for type_ in CONFIGS}


def write_schemas(schemas: dict[str, dict[str, Any]], folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for type_, schema in schemas.items():
        path = folder / f"{type_}.schema.json"
        path.write_text(json.dumps(schema, indent=2) + "\n", "utf-8")
        yield path
