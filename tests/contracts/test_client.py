"""The client has every operation of the API, with its parameters, its body and its answer."""

import inspect
from typing import Any

import msgspec
import pytest
from litestar import Litestar

from generating.client import FOLDER, client_files
from viva.api.openapi import document
from viva.app import API
from viva.client import structs
from viva.client.client import Client
from viva.client.describing import OperationDescription

DOCUMENT = document(Litestar(route_handlers=[API], openapi_config=None, logging_config=None))
# The older of two addresses of one list.
SECOND_ADDRESSES = {("get", "/api/v1/evaluations/{evaluation_id}/pending-proctor")}
ANYTHING = {"default": None}  # a field that the hub ignores
OPERATIONS = {
    (method, path): operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if (method, path) not in SECOND_ADDRESSES
}


def descriptions() -> dict[tuple[str, str], OperationDescription[..., Any]]:
    """Every operation of the client, by method and path."""
    with Client("http://127.0.0.1:9", "") as client:
        groups = [type(group) for name, group in vars(client).items() if name != "runner"]
    found = {}
    for group in groups:
        for description in vars(group).values():
            if isinstance(description, OperationDescription):
                call = call_of(description)
                found[call.method.lower(), call.path] = description
    return found


def call_of(description: OperationDescription[..., Any]) -> Any:
    """The call that the description makes, with the name of each parameter as its value."""
    parameters = list(inspect.signature(description.function).parameters.values())[1:]
    given = {parameter.name: f"{{{parameter.name}}}" for parameter in parameters}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(description.function.__globals__, "in_path", str)
        made = description.describe(**given)
    return getattr(made, "call", made)


DESCRIPTIONS = descriptions()


def test_the_generated_files_are_those_of_the_routes():
    files = client_files()

    assert [path.name for path, text in files.items() if path.read_text() != text] == [], "run `make client`"
    assert set((FOLDER / "operations").glob("[!_]*.py")) == {path for path in files if path.parent != FOLDER}


def test_every_operation_of_the_api_is_one_of_the_client():
    assert set(DESCRIPTIONS) == set(OPERATIONS)


@pytest.mark.parametrize("place", sorted(OPERATIONS), ids=" ".join)
def test_an_operation_sends_and_reads_every_field(place: tuple[str, str]):
    operation, call = OPERATIONS[place], call_of(DESCRIPTIONS[place])
    sent = {name for name, value in {**call.query, **call.headers}.items() if value}
    wanted = {
        parameter["name"]
        for parameter in operation["parameters"]
        if parameter["in"] != "path" and parameter["name"] != "Idempotency-Key"
    }
    body = fields_of(schema_in(operation.get("requestBody", {})))
    answer = next(response for status, response in sorted(operation["responses"].items()) if status < "300")

    assert sent == wanted
    assert set(call.body if isinstance(call.body, dict) else ()) == {name for name in body if body[name] != ANYTHING}
    assert set(getattr(call.answer_type, "__struct_encode_fields__", ())) == set(fields_of(schema_in(answer)))


def schema_in(part: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = part.get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    return schema


def fields_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a schema, where it is an object that the API describes."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    fields: dict[str, Any] = schema.get("properties", {})
    return fields


@pytest.mark.parametrize("name", sorted(vars(structs)))
def test_a_struct_has_the_fields_of_the_api(name: str):
    struct, schema = getattr(structs, name), DOCUMENT["components"]["schemas"].get(name)
    if not isinstance(struct, type) or not issubclass(struct, msgspec.Struct) or struct is msgspec.Struct:
        return

    assert schema is not None
    assert set(struct.__struct_encode_fields__) == set(schema["properties"])
    assert required_of(struct) == set(schema.get("required", ()))


def required_of(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct) if field.required}
