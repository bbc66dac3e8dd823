"""Reading a request: path, query and headers become the route's parameters, the body becomes its `data`."""

from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from viva.api.route_spec import RouteSpec
from viva.context import headers_in
from viva.kit import forms
from viva.kit.errors import Fault, Invalid
from viva.kit.faults import MAX_FAULTS, MAX_FIELD_CHARACTERS, find_faults
from viva.kit.null_characters import has_null_character

MAX_QUERY_PARAMETERS = 50


class NotJson(Invalid):
    """The body is not valid JSON."""


class NullCharacter(Invalid):
    """Text may not contain the null character."""


def header(request: Request, name: bytes) -> str | None:
    """The value of one header."""
    value = headers_in(request.scope).get(name)
    return value if value is None else value.decode("latin-1")


def read_parameters(request: Request, spec: RouteSpec) -> dict[str, Any]:
    path: dict[str, Any] = request.scope["path_params"]
    query = read_query(request.scope["query_string"])
    values = query | path | read_headers(request, spec) if spec.headers else query | path
    unknown = unknown_faults(query, spec, path) if query else []
    try:
        parameters = msgspec.convert(values, spec.parameters, strict=False)
    except msgspec.ValidationError as error:
        faults = find_faults(values, spec.parameters, strict=False) or [forms.fault_of(error)]
        raise forms.invalid_input([*faults, *unknown][:MAX_FAULTS]) from error
    if unknown:
        raise forms.invalid_input(unknown)
    return msgspec.structs.asdict(parameters)


def read_query(query: bytes) -> dict[str, str]:
    """The parameters of the query. A parameter without a value counts as left out."""
    if not query:
        return {}
    try:
        pairs = parse_qsl(query.decode(), keep_blank_values=True, max_num_fields=MAX_QUERY_PARAMETERS)
    except ValueError:
        message = "The query cannot be read."
        raise Invalid(message, faults=(Fault("query", "invalid", message),)) from None
    return {name: value for name, value in pairs if value}


def read_headers(request: Request, spec: RouteSpec) -> dict[str, str]:
    values = {name: header(request, name.lower().encode()) for name in spec.headers}
    return {name: value for name, value in values.items() if value}


def unknown_faults(query: dict[str, str], spec: RouteSpec, path: dict[str, Any]) -> list[Fault]:
    """A fault for each query parameter that the route does not have. Path parameters and headers do not count."""
    known = [name for name in spec.parameters.__struct_encode_fields__ if name not in path and name not in spec.headers]
    if all(name in known for name in query):
        return []
    choices = f"This address takes: {', '.join(known)}." if known else "This address takes no parameters."
    message = f"This parameter is unknown. {choices}"
    return [Fault(name[:MAX_FIELD_CHARACTERS], "unknown", message) for name in query if name not in known]


def read_json(body: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    if has_null_character(body):
        raise NullCharacter(faults=(Fault("body", NullCharacter.code(), NullCharacter.__doc__ or ""),))
    try:
        return decode(body, decoder)
    except UnicodeDecodeError as error:
        raise not_json("The body is not UTF-8 text.") from error
    except RecursionError as error:
        raise not_json("The body is nested too deeply.") from error
    except msgspec.DecodeError as error:
        raise not_json(f"{error}.") from error


def decode(body: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise forms.invalid(error, decode_any(body), decoder.type, "body") from error


def decode_any(body: bytes) -> Any:
    """The body without a type check. The JSON may still be malformed after the first fault."""
    try:
        return msgspec.json.decode(body)
    except msgspec.ValidationError as error:  # such as a number out of range
        fault = forms.fault_of(error)
        raise forms.invalid_input([fault._replace(field=fault.field or "body")]) from error


def not_json(message: str) -> NotJson:
    return NotJson(faults=(Fault("body", NotJson.code(), message),))
