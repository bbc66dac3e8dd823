"""Route of the JSON Schemas of configs, for editors and programs."""

from functools import cache
from typing import Any

from litestar import Router
from msgspec import Struct

from viva.api.routing import get
from viva.evaluations.schemas import config_schemas


class ConfigSchemas(Struct):
    """The JSON Schema of `config` for each type of evaluation."""

    schemas: dict[str, dict[str, Any]]


@cache
def read_schemas() -> ConfigSchemas:
    return ConfigSchemas(config_schemas())


@get("/")
def list_schemas() -> ConfigSchemas:
    """List the JSON Schema of the config of each type of evaluation. `viva sip schema` writes the same."""
    return read_schemas()


router = Router("/schemas", route_handlers=[list_schemas])
