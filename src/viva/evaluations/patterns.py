"""Patterns and schemas of authors. They are untrusted, so that each is searched in linear time and nothing is loaded."""

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import jsonschema_rs

MAX_PATTERN_BYTES = 1024 * 1024  # when compiled; a larger pattern takes more than 0.1 seconds to compile
MAX_VALIDATORS_CACHED = 1_000  # as many as a benchmark may have questions


@lru_cache(MAX_VALIDATORS_CACHED)
def validator_for(schema: bytes) -> "jsonschema_rs.Validator":
    import jsonschema_rs  # imported here because most commands never need it

    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema),
        pattern_options=jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN_BYTES),
        validate_formats=True,
        offline=True,  # a schema is untrusted and may name any address or file; none is read
    )


def is_found(pattern: str, text: str) -> bool:
    """Whether the pattern is somewhere in the text, or ValueError if it cannot be used."""
    return validator_for(msgspec.json.encode({"type": "string", "pattern": pattern})).is_valid(text)


def pattern_error(pattern: str) -> str | None:
    """Why the pattern cannot be used."""
    try:
        is_found(pattern, "")
    except ValueError as error:
        return str(error).splitlines()[0]
    return None
