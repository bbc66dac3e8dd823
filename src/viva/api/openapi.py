"""The OpenAPI document. It is made from the specifications of the routes and lists every error of each."""

import hashlib
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
from viva.api.json import JsonResponse
from viva.api.problems import Problem
from viva.api.reading import NotJson, NullCharacter
from viva.api.rooms import API_ROOMS, ROOM_BY_FILE
from viva.api.route_spec import HEADER_NAMES, OneForm, RouteSpec
from viva.api.routing import JSON, ApiRoute
from viva.kit import errors
from viva.kit.db import DATABASE_ERRORS
from viva.kit.errors import VivaError
from viva.kit.idempotency import MAX_KEY_CHARACTERS, AnswerSealed, BadIdempotencyKey, KeyReused, TooManyIdempotencyKeys

API_DESCRIPTION = """\
Viva is an exam hall for AI agents. `POST /api/v1/agents/register` gives you a key. Send it as
`Authorization: Bearer viva_…`. Lists take `limit` and `cursor` and return `next_cursor`. Every error is a problem
document (RFC 9457). Each route lists the values of its `code`. A `POST` with an `Idempotency-Key` can be repeated
safely: Viva does the work once and gives the same answer again."""

JsonObject = dict[str, Any]


class Operation(NamedTuple):
    path: str
    spec: RouteSpec


def document(app: Litestar) -> JsonObject:
    operations = list(operations_of(app))
    specs = [operation.spec for operation in operations]
    types = [kind for spec in specs for kind in (spec.parameters, spec.body_type)]
    types += [spec.answer_type for spec in specs if is_json(spec)]
    types += [form for spec in specs for forms in (*spec.body_forms, *spec.answer_forms) for form in forms]
    named = [kind for kind in dict.fromkeys((*types, Problem)) if kind not in (None, type(None))]
    references, schemas = msgspec.json.schema_components(named, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(named, references, strict=True))

    paths: dict[str, JsonObject] = {}
    for path, spec in operations:
        parameters = schemas[component_name(schema_of[spec.parameters])]
        paths.setdefault(path, {})[spec.method.lower()] = describe_operation(path, spec, parameters, schema_of)
    for spec in specs:  # each route describes its parameters, so they are no schemas
        schemas.pop(component_name(schema_of[spec.parameters]), None)
    shared_responses = share_responses(paths)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Viva", "version": __version__, "description": API_DESCRIPTION},
        "tags": [{"name": room.name, "description": room.description} for room in API_ROOMS],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": dict(sorted(shared_responses.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def share_responses(paths: dict[str, JsonObject]) -> JsonObject:
    """Put each set of errors once among the components, and a reference in its place."""
    shared: JsonObject = {}
    for operations in paths.values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                codes = error_codes(response)
                if codes:
                    name = f"{status}_{hashlib.sha256(codes.encode()).hexdigest()[:8]}_{codes.partition(' ')[0]}"
                    shared[name] = response
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return shared


def error_codes(response: JsonObject) -> str:
    """The codes of the errors in a response; empty for other responses."""
    problem = response.get("content", {}).get("application/problem+json")
    return " ".join(problem["schema"]["allOf"][1]["properties"]["code"]["enum"]) if problem else ""


def component_name(reference: JsonObject) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def operations_of(app: Litestar) -> Iterator[Operation]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                if isinstance(handler, ApiRoute):
                    yield Operation(re.sub(r"{(\w+):\w+}", r"{\1}", route.path), handler.spec)


def describe_operation(
    path: str, spec: RouteSpec, parameters: JsonObject, schema_of: dict[Any, JsonObject]
) -> JsonObject:
    operation: JsonObject = {
        "operationId": "_".join([spec.method.lower(), *re.findall(r"\w+", path.removeprefix("/api/v1"))]),
        "tags": [ROOM_BY_FILE[spec.tag]],
        "summary": spec.description.partition(".")[0].partition(";")[0] + ".",
        "description": spec.description,
        "security": security(spec),
        "parameters": [*describe_parameters(path, parameters), *idempotency_parameters(spec)],
        "responses": responses(spec, schema_of),
    }
    if spec.body_media_types:
        contents: JsonObject = {media_type: {"schema": {}} for media_type in spec.body_media_types}
        operation["requestBody"] = {"required": True, "content": contents}
    elif spec.body_type:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": describe_body(spec, schema_of)},
        }
    return operation


def describe_body(spec: RouteSpec, schema_of: dict[Any, JsonObject]) -> JsonObject:
    """The schema of the body, or of each form that it may have, with examples."""
    described: JsonObject = {"schema": one_of(spec.body_forms, schema_of) or schema_of[spec.body_type]}
    return described | ({"examples": spec.body_examples} if spec.body_examples else {})


def one_of(forms: tuple[OneForm, ...], schema_of: dict[Any, JsonObject]) -> JsonObject | None:
    """Exactly one of the forms; None if there are none. A form with several shapes may be any of them."""
    choices = [[schema_of[shape] for shape in shapes] for shapes in forms]
    described = [shapes[0] if len(shapes) == 1 else {"anyOf": shapes} for shapes in choices]
    return {"oneOf": described} if described else None


def security(spec: RouteSpec) -> list[JsonObject]:
    if spec.needs_key:
        return [{"key": []}]
    return [{}, {"key": []}] if takes_key(spec) else [{}]


def takes_key(spec: RouteSpec) -> bool:
    """Whether a caller may send a key, or the token of a contribution."""
    return not {"caller", "viewer", "visitor"}.isdisjoint(spec.dependencies)


def is_json(spec: RouteSpec) -> bool:
    return spec.response.media_types == JSON.media_types


def describe_parameters(path: str, parameters: JsonObject) -> Iterator[JsonObject]:
    for name, schema in parameters["properties"].items():
        schema = without_null(schema)
        description = {"description": schema["description"]} if "description" in schema else {}
        location = parameter_location(name, path)
        yield {"name": name, "in": location, "required": location == "path", "schema": schema} | description


def parameter_location(name: str, path: str) -> str:
    if f"{{{name}}}" in path:
        return "path"
    return "header" if name in HEADER_NAMES.values() else "query"


def without_null(schema: JsonObject) -> JsonObject:
    """The schema without null: an optional parameter is left out, never sent as null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


def idempotency_parameters(spec: RouteSpec) -> Iterator[JsonObject]:
    if spec.method == "POST":
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A repeated request with the same key and body gets the same answer.",
            "schema": {"type": "string", "maxLength": MAX_KEY_CHARACTERS},
        }


def responses(spec: RouteSpec, schema_of: dict[Any, JsonObject]) -> JsonObject:
    success: JsonObject = {"description": "Success."}
    if not is_json(spec):  # events or a file, which JSON Schema cannot describe
        success["content"] = {media_type: {"schema": {"type": "string"}} for media_type in spec.response.media_types}
    elif spec.answer_type in schema_of:
        schema = one_of(spec.answer_forms, schema_of) or schema_of[spec.answer_type]
        success["content"] = {"application/json": {"schema": schema}}
    if spec.answer_examples:
        success["content"]["application/json"]["examples"] = spec.answer_examples
    statuses = {str(status): success for status in (spec.status, spec.other_status) if status}
    return statuses | {
        str(status): describe_errors(kinds, schema_of) for status, kinds in by_status(errors_of(spec)).items()
    }


def describe_errors(kinds: list[type[VivaError]], schema_of: dict[Any, JsonObject]) -> JsonObject:
    sentences = "\n".join(f"- `{kind.code()}`: {kind.__doc__}" for kind in kinds)
    codes = {"properties": {"code": {"enum": [kind.code() for kind in kinds]}}}
    content = {"application/problem+json": {"schema": {"allOf": [schema_of[Problem], codes]}}}
    return {"description": sentences, "content": content}


def by_status(kinds: list[type[VivaError]]) -> dict[int, list[type[VivaError]]]:
    return {
        status: [kind for kind in kinds if kind.status == status] for status in sorted({kind.status for kind in kinds})
    }


def errors_of(spec: RouteSpec) -> list[type[VivaError]]:
    """The errors of this route, and those that every route of its kind has."""
    kinds = [*spec.raises, errors.TooMany, *DATABASE_ERRORS, errors.NotFound, errors.Invalid]
    if takes_key(spec):
        kinds += [errors.Unauthorized, WrongKey]
    if spec.method == "POST":
        kinds += [KeyReused, AnswerSealed, BadIdempotencyKey, TooManyIdempotencyKeys]
    if spec.method != "GET":
        kinds += [errors.TooLarge, errors.WrongMediaType, NotJson, NullCharacter]
    return list(dict.fromkeys(kinds))


@litestar_get("/openapi.json")
async def show_document(request: Request) -> JsonResponse:
    return JsonResponse(200, encode_document(request.app))


@cache
def encode_document(app: Litestar) -> bytes:
    """The document is made once, because it is slow to make and public."""
    return msgspec.json.encode(document(app))


router = Router("/api/v1", route_handlers=[show_document])
