"""Convert the OpenAPI document for the page: endpoints by tag, schemas, and errors by name."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

JsonSchemaObject = dict[str, Any]
# An error of at least this share of the endpoints is not repeated at each of them.
COMMON_ERROR_SHARE = 0.4
DOCS_METHODS = ("get", "post", "put", "patch", "delete")
# A response lists its errors, one `code: sentence` on each line. A list or a code in backticks is accepted.
ERROR_LINE = re.compile(r"^[\s*-]*`?([a-z][a-z0-9_]*)`?:\s+(\S.*)$", re.MULTILINE)


class TypeWord(NamedTuple):
    """A part of the text of a type. `shape` is the schema that it names, if any."""

    text: str
    shape: str | None = None


class DocsField(NamedTuple):
    name: str
    where: str
    type: list[TypeWord]
    required: bool
    text: str


class ErrorCode(NamedTuple):
    code: str
    status: int
    text: str


class DocsReply(NamedTuple):
    status: int
    type: list[TypeWord]


class DocsExample(NamedTuple):
    """A body or an answer as JSON text."""

    title: str
    text: str


class Endpoint(NamedTuple):
    anchor: str
    method: str
    path: str
    title: str
    text: str
    needs_key: bool
    parameters: list[DocsField]
    body: list[TypeWord]
    replies: list[DocsReply]
    errors: list[ErrorCode]
    body_examples: list[DocsExample]
    answer_examples: list[DocsExample]

    @property
    def errors_by_status(self) -> list[tuple[int, list[ErrorCode]]]:
        """Their codes. Their sentences stand once, at the end of the page."""
        return [(status, list(group)) for status, group in groupby(self.errors, lambda error: error.status)]


class Tag(NamedTuple):
    name: str
    text: str
    endpoints: list[Endpoint]


class DocsSchema(NamedTuple):
    name: str
    text: str
    fields: list[DocsField]


@dataclass(frozen=True)
class DocsPage:
    text: str
    tags: list[Tag]
    shapes: list[DocsSchema]
    errors: list[ErrorCode]
    common: list[ErrorCode]  # those of many endpoints

    def fields_of(self, type_: list[TypeWord]) -> list[DocsField]:
        """The fields of the schema that a type names."""
        return next((shape.fields for shape in self.shapes if len(type_) == 1 and type_[0].shape == shape.name), [])


def read(document: JsonSchemaObject, common: list[ErrorCode]) -> DocsPage:
    """Convert the document in its order. `common` are the errors of all endpoints."""
    texts = {tag["name"]: tag.get("description", "") for tag in document.get("tags", [])}
    tags: dict[str, list[Endpoint]] = {name: [] for name in texts}
    for tag, endpoint in endpoints(document):
        tags.setdefault(tag, []).append(endpoint)
    named = [error for group in tags.values() for endpoint in group for error in endpoint.errors]
    errors = {error.code: error for error in [*common, *named]}
    counts = Counter(error.code for error in named)
    total = sum(map(len, tags.values()))
    common_codes = {code for code, count in counts.items() if count >= total * COMMON_ERROR_SHARE}
    schemas = document.get("components", {}).get("schemas", {})
    return DocsPage(
        text=document["info"].get("description", ""),
        tags=[
            Tag(name, texts.get(name, ""), [without(common_codes, endpoint) for endpoint in group])
            for name, group in tags.items()
            if group
        ],
        shapes=[
            DocsSchema(name, schema.get("description", ""), fields(schema)) for name, schema in sorted(schemas.items())
        ],
        errors=(listed := sorted(errors.values(), key=lambda error: (error.status, error.code))),
        common=[error for error in listed if error.code in common_codes],
    )


def without(codes: set[str], endpoint: Endpoint) -> Endpoint:
    """The endpoint without the errors of these codes."""
    return endpoint._replace(errors=[error for error in endpoint.errors if error.code not in codes])


def endpoints(document: JsonSchemaObject) -> Iterator[tuple[str, Endpoint]]:
    for path, operations in document.get("paths", {}).items():
        for method in DOCS_METHODS:
            if method in operations:
                operation = operations[method]
                operation = operation | {"responses": resolve_responses(document, operation)}
                yield (operation.get("tags") or ["other"])[0], endpoint(method, path, operation)


def resolve_responses(document: JsonSchemaObject, operation: JsonSchemaObject) -> JsonSchemaObject:
    """The responses of an operation, with those that many share put in their place."""
    shared = document.get("components", {}).get("responses", {})
    return {
        status: shared[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
        for status, response in operation.get("responses", {}).items()
    }


def endpoint(method: str, path: str, operation: JsonSchemaObject) -> Endpoint:
    answers = {int(status): answer for status, answer in operation.get("responses", {}).items() if status.isdigit()}
    return Endpoint(
        anchor=operation.get("operationId") or f"{method}-{path}",
        method=method.upper(),
        path=path,
        title=title_of(operation),
        text=text_beside(title_of(operation), operation.get("description", "")),
        needs_key=bool(operation.get("security")) and {} not in operation["security"],
        parameters=[parameter(given) for given in operation.get("parameters", [])],
        body=type_of(schema_in(operation.get("requestBody", {}))),
        replies=[DocsReply(status, type_of(schema_in(answer))) for status, answer in answers.items() if status < 400],
        errors=[
            ErrorCode(code, status, text)
            for status, answer in answers.items()
            if status >= 400
            for code, text in ERROR_LINE.findall(answer.get("description", ""))
        ],
        body_examples=examples_in(operation.get("requestBody", {})),
        answer_examples=[
            example for status, answer in answers.items() if status < 400 for example in examples_in(answer)
        ],
    )


def examples_in(part: JsonSchemaObject) -> list[DocsExample]:
    found = [media.get("examples", {}) for media in part.get("content", {}).values()]
    return [
        DocsExample(example.get("summary", name), json.dumps(example["value"], indent=2, ensure_ascii=False))
        for examples in found
        for name, example in examples.items()
    ]


def title_of(operation: JsonSchemaObject) -> str:
    return str(operation.get("summary") or operation.get("operationId", "")).removesuffix(".").replace("`", "")


def text_beside(title: str, text: str) -> str:
    """The text, or nothing if it only repeats the title."""
    return "" if text.removesuffix(".").replace("`", "") == title else text


def parameter(given: JsonSchemaObject) -> DocsField:
    schema = given.get("schema", {})
    text = given.get("description") or schema.get("description", "")
    return DocsField(given["name"], given["in"], type_of(schema), bool(given.get("required")), text)


def fields(schema: JsonSchemaObject) -> list[DocsField]:
    required = schema.get("required", [])
    return [
        DocsField(name, "body", type_of(part), name in required, part.get("description", ""))
        for name, part in schema.get("properties", {}).items()
    ]


def schema_in(part: JsonSchemaObject) -> JsonSchemaObject:
    """The schema of a body of any media type."""
    content = part.get("content", {})
    schema: JsonSchemaObject = next((media.get("schema", {}) for media in content.values()), {})
    return schema


def type_of(schema: JsonSchemaObject) -> list[TypeWord]:
    """The type in words: `list of Message`, `string or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return [TypeWord(name, name)]
    choices = schema.get("oneOf") or schema.get("anyOf") or schema.get("allOf")
    if choices:
        return join_types([type_of(choice) for choice in choices])
    if "enum" in schema:
        return [TypeWord(" | ".join("null" if value is None else str(value) for value in schema["enum"]))]
    kinds = schema.get("type", [])
    return join_types([name_type(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def name_type(kind: str, schema: JsonSchemaObject) -> list[TypeWord]:
    if kind == "array" and isinstance(schema.get("items"), dict):
        return [TypeWord("list of "), *type_of(schema["items"])]
    return [TypeWord("date and time" if schema.get("format") == "date-time" and kind == "string" else kind)]


def join_types(types: list[list[TypeWord]]) -> list[TypeWord]:
    words: list[TypeWord] = []
    for type_ in types:
        words += [TypeWord(" or "), *type_] if words else type_
    return words
