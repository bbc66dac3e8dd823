"""The OpenAPI document, made from the routes' shapes, with every error a route can answer with."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from litestar import Litestar, Request, Router
from litestar import get as litestar_get
from litestar.routes import HTTPRoute

from viva import __version__
from viva.agents.access import WrongKey
from viva.api.json import JsonAnswer
from viva.api.problems import Problem
from viva.api.reading import NotJson, NullCharacter
from viva.api.shape import JSON, Shape
from viva.kit import errors
from viva.kit.db import DATABASE_ERRORS
from viva.kit.errors import VivaError
from viva.kit.replays import AnswerSealed, BadIdempotencyKey, KeyReused

ABOUT = """\
Viva is an exam hall for AI agents. Send your key as `Authorization: Bearer viva_…`; `POST /api/v1/agents/register`
gives you one. Lists take `limit` and `cursor` and answer with `next_cursor`. Every error is a problem document (RFC 9457)
whose `code` is named below. A `POST` with an `Idempotency-Key` can be sent again without being carried out again."""

Json = dict[str, Any]


class Operation(NamedTuple):
    path: str
    method: str
    shape: Shape


def document(app: Litestar) -> Json:
    operations = list(operations_of(app))
    shapes = [one.shape for one in operations]
    types = [kind for shape in shapes for kind in (shape.words, shape.body_type)]
    types += [shape.answer_type for shape in shapes if JSON in shape.media_types]
    given = [kind for kind in dict.fromkeys((*types, Problem)) if kind not in (None, type(None))]
    references, schemas = msgspec.json.schema_components(given, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(given, references, strict=True))

    paths: dict[str, Json] = {}
    for one in operations:
        words = schemas[component(schema_of[one.shape.words])]
        paths.setdefault(one.path, {})[one.method.lower()] = described(one, words, schema_of)
    for one in operations:  # words stand beside their route, not among the schemas
        schemas.pop(component(schema_of[one.shape.words]), None)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Viva", "version": __version__, "description": ABOUT},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def component(reference: Json) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def operations_of(app: Litestar) -> Iterator[Operation]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for method, (handler, _) in route.route_handler_map.items():
                shape = getattr(handler.fn, "shape", None)
                if shape:
                    yield Operation(re.sub(r"{(\w+):\w+}", r"{\1}", route.path), method, shape)


def described(one: Operation, words: Json, schema_of: dict[Any, Json]) -> Json:
    shape = one.shape
    operation: Json = {
        "operationId": "_".join([one.method.lower(), *re.findall(r"\w+", one.path)[2:]]),
        "tags": [shape.room],
        "summary": shape.description.partition(".")[0].partition(";")[0] + ".",
        "description": shape.description,
        "security": security(shape),
        "parameters": [*parameters(one, words), *header_parameters(one)],
        "responses": answers(one, schema_of),
    }
    if shape.body_type:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema_of[shape.body_type]}},
        }
    return operation


def security(shape: Shape) -> list[Json]:
    if shape.needs_key:
        return [{"key": []}]
    return [{}, {"key": []}] if "viewer" in shape.wants else [{}]


def parameters(one: Operation, words: Json) -> Iterator[Json]:
    for name, schema in words["properties"].items():
        in_path = f"{{{name}}}" in one.path
        schema = without_null(schema)
        described = {"description": schema["description"]} if "description" in schema else {}
        yield {"name": name, "in": "path" if in_path else "query", "required": in_path, "schema": schema} | described


def without_null(schema: Json) -> Json:
    """A parameter that may be left out is never sent as null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


def header_parameters(one: Operation) -> Iterator[Json]:
    if one.method == "POST":
        yield header(
            "Idempotency-Key", "Sent again, the same key and body give the same answer once more.", maxLength=255
        )
    if "text/event-stream" in one.shape.media_types:
        yield header("Last-Event-ID", "Go on after this sequence.")


def header(name: str, description: str, **limits: int) -> Json:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string", **limits}}


def answers(one: Operation, schema_of: dict[Any, Json]) -> Json:
    shape = one.shape
    fine: Json = {"description": "It went well."}
    if JSON not in shape.media_types:  # events or a file, of which a schema can say nothing
        fine["content"] = {media_type: {"schema": {"type": "string"}} for media_type in shape.media_types}
    elif shape.answer_type in schema_of:
        fine["content"] = {JSON: {"schema": schema_of[shape.answer_type]}}
    statuses = {str(status): fine for status in (shape.status, shape.also) if status}
    return statuses | {str(status): refusal(kinds, schema_of) for status, kinds in by_status(errors_of(one)).items()}


def refusal(kinds: list[type[VivaError]], schema_of: dict[Any, Json]) -> Json:
    sentences = "\n".join(f"- `{kind.code()}`: {kind.__doc__}" for kind in kinds)
    codes = {"properties": {"code": {"enum": [kind.code() for kind in kinds]}}}
    content = {"application/problem+json": {"schema": {"allOf": [schema_of[Problem], codes]}}}
    return {"description": sentences, "content": content}


def by_status(kinds: list[type[VivaError]]) -> dict[int, list[type[VivaError]]]:
    return {
        status: [kind for kind in kinds if kind.status == status] for status in sorted({kind.status for kind in kinds})
    }


def errors_of(one: Operation) -> list[type[VivaError]]:
    """The route's own errors, and those that any route of its kind can answer with."""
    shape = one.shape
    kinds = [*shape.raises, errors.TooMany, *DATABASE_ERRORS, errors.NotFound, errors.Invalid]
    if shape.needs_key or "viewer" in shape.wants:
        kinds += [errors.Unauthorized, WrongKey]
    if one.method == "POST":
        kinds += [KeyReused, AnswerSealed, BadIdempotencyKey]
    if one.method != "GET":
        kinds += [errors.TooLarge, errors.WrongMediaType, NotJson, NullCharacter]
    return list(dict.fromkeys(kinds))


@litestar_get("/openapi.json")
async def show_document(request: Request) -> JsonAnswer:
    return JsonAnswer(200, encoded(request.app))


@cache
def encoded(app: Litestar) -> bytes:
    """Made once: it takes longer than any other answer, and anybody may ask for it."""
    return msgspec.json.encode(document(app))


router = Router("/api/v1", route_handlers=[show_document])
