"""Reading a request: its path and query as the route's parameters, its body as the route's `data`."""

import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request

from viva.api.shape import Shape
from viva.kit import forms
from viva.kit.errors import Fault, Invalid, TooLarge

MOST_WORDS = 50


class Disconnected(Invalid):
    """The connection ended before the whole body had come."""


class NotJson(Invalid):
    """The body is not valid JSON."""


class NullCharacter(Invalid):
    """Text may not contain the null character."""


def header(request: Request, name: bytes) -> str | None:
    """A header as it was sent; most requests are asked for one or two, so no map of all of them is made."""
    return next((value.decode("latin-1") for given, value in request.scope["headers"] if given == name), None)


async def body_of(request: Request, most_bytes: int) -> bytes:
    """The whole body, of at most so many bytes."""
    parts: list[bytes] = []
    size = 0
    while True:
        message: Any = await request.receive()
        if message["type"] == "http.disconnect":
            raise Disconnected()
        parts.append(message["body"])
        size += len(message["body"])
        if size > most_bytes:
            raise TooLarge()
        if not message.get("more_body"):
            return b"".join(parts)


def read_words(request: Request, shape: Shape) -> dict[str, Any]:
    values: dict[str, Any] = {}
    query = request.scope["query_string"]
    if query:
        try:
            given = parse_qsl(query.decode(), keep_blank_values=True, max_num_fields=MOST_WORDS)
        except ValueError:
            raise unreadable() from None
        values = {name: value for name, value in given if value}
    values |= request.scope["path_params"]  # what the address names, no query renames
    try:
        return msgspec.structs.asdict(msgspec.convert(values, shape.words, strict=False))
    except msgspec.ValidationError as error:
        raise forms.invalid(error, "query") from error


def unreadable() -> Invalid:
    message = "The query cannot be read."
    return Invalid(message, faults=(Fault("query", "invalid", message),))


def read_body(body: bytes, decoder: "msgspec.json.Decoder[Any]") -> Any:
    # An even number of backslashes before u0000 is no escape. PostgreSQL keeps no null characters.
    if b"u0000" in body and re.search(rb"(?<!\\)(?:\\\\)*\\u0000", body):
        raise NullCharacter(faults=(Fault("body", NullCharacter.code(), NullCharacter.__doc__ or ""),))
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise forms.invalid(error, "body") from error
    except UnicodeDecodeError as error:
        raise not_json("The body is not UTF-8 text.") from error
    except RecursionError as error:
        raise not_json("The body is nested too deeply.") from error
    except msgspec.DecodeError as error:
        raise not_json(f"{error}.") from error


def not_json(message: str) -> NotJson:
    return NotJson(faults=(Fault("body", NotJson.code(), message),))
