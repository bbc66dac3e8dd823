"""Reading a request: path, query and headers as the route's parameters, the body as the route's `data`."""

import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from viva.api.route_spec import HEADER_NAMES, RouteSpec
from viva.kit import forms
from viva.kit.errors import Fault, Invalid
from viva.kit.faults import MAX_FAULTS, MAX_FIELD_CHARACTERS, find_faults

MAX_QUERY_PARAMETERS = 50


class NotJson(Invalid):
    """The body is not valid JSON."""


class NullCharacter(Invalid):
    """Text may not contain the null character."""


def header(request: Request, name: bytes) -> str | None:
    """A header as it was sent; most requests are asked for one or two, so no map of all of them is made."""
    return next((value.decode("latin-1") for given, value in request.scope["headers"] if given == name), None)


def read_parameters(request: Request, spec: RouteSpec) -> dict[str, Any]:
    path: dict[str, Any] = request.scope["path_params"]
    query = read_query(request.scope["query_string"])
    values = query | path | read_headers(request, spec)
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
    """The query's parameters; one without a value is as good as none."""
    if not query:
        return {}
    try:
        given = parse_qsl(query.decode(), keep_blank_values=True, max_num_fields=MAX_QUERY_PARAMETERS)
    except ValueError:
        message = "The query cannot be read."
        raise Invalid(message, faults=(Fault("query", "invalid", message),)) from None
    return {name: value for name, value in given if value}


def read_headers(request: Request, spec: RouteSpec) -> dict[str, str]:
    named = [HEADER_NAMES[name] for name in spec.parameters.__struct_fields__ if name in HEADER_NAMES]
    found = {name: header(request, name.lower().encode()) for name in named}
    return {name: value for name, value in found.items() if value}


def unknown_faults(query: dict[str, str], spec: RouteSpec, path: dict[str, Any]) -> list[Fault]:
    """The parameters that the route does not take; what the address names, no query names again."""
    elsewhere = {*path, *HEADER_NAMES.values()}
    taken = [name for name in spec.parameters.__struct_encode_fields__ if name not in elsewhere]
    there_are = f"there are: {', '.join(taken)}" if taken else "this address takes none"
    message = f"There is no such parameter; {there_are}."
    return [Fault(name[:MAX_FIELD_CHARACTERS], "unknown", message) for name in query if name not in taken]


def read_json(body: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    # An even number of backslashes before u0000 is no escape. PostgreSQL keeps no null characters.
    if b"u0000" in body and re.search(rb"(?<!\\)(?:\\\\)*\\u0000", body):
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
    """The body as it is, of whatever type; JSON can still be wrong behind the first fault."""
    try:
        return msgspec.json.decode(body)
    except msgspec.ValidationError as error:  # such as a number that no machine holds
        fault = forms.fault_of(error)
        raise forms.invalid_input([fault._replace(field=fault.field or "body")]) from error


def not_json(message: str) -> NotJson:
    return NotJson(faults=(Fault("body", NotJson.code(), message),))
