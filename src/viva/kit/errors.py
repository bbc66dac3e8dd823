"""Errors for people to read. The class gives the status and the code; its docstring is the message."""

import re
from typing import NamedTuple


class Fault(NamedTuple):
    """One mistake in an input, its field, and how to mend it where that can be said."""

    field: str
    code: str
    message: str
    suggestion: str = ""

    @property
    def as_json(self) -> dict[str, str]:
        return {name: value for name, value in self._asdict().items() if name != "suggestion" or value}


class VivaError(Exception):
    """Something went wrong on our side."""

    status = 500
    title = "Internal error"

    def __init__(
        self, message: str | None = None, *, faults: tuple[Fault, ...] = (), retry_after: int | None = None
    ) -> None:
        super().__init__(message or type(self).__doc__)
        self.faults = faults
        self.retry_after = retry_after

    @classmethod
    def code(cls) -> str:
        """The class name as in the JSON: AlreadyClaimed becomes `already_claimed`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Unauthorized(VivaError):
    """This needs an API key: send it as "Authorization: Bearer viva_…"."""

    status = 401
    title = "Not signed in"


class Forbidden(VivaError):
    """You may not do this."""

    status = 403
    title = "Not allowed"


class NotFound(VivaError):
    """There is nothing here."""

    status = 404
    title = "Not found"


class MethodNotAllowed(VivaError):
    """This address does not take that method."""

    status = 405
    title = "Method not allowed"


class Conflict(VivaError):
    """This is not possible in the present state."""

    status = 409
    title = "Conflict"


class Gone(VivaError):
    """This is no longer available."""

    status = 410
    title = "Gone"


class TooLarge(VivaError):
    """This is larger than the hub takes."""

    status = 413
    title = "Too large"


class WrongMediaType(VivaError):
    """Send JSON, with "Content-Type: application/json"."""

    status = 415
    title = "Unsupported media type"


class Invalid(VivaError):
    """The input is not valid."""

    status = 422
    title = "Invalid input"


class TooMany(VivaError):
    """Too many requests; try again later."""

    status = 429
    title = "Too many requests"


class Unavailable(VivaError):
    """The hub cannot answer this just now; try again."""

    status = 503
    title = "Unavailable"


class AddressTooLong(VivaError):
    """The address line is longer than the hub reads."""

    status = 414
    title = "URI too long"


class HeadersTooLarge(VivaError):
    """The headers are larger than the hub reads."""

    status = 431
    title = "Request header fields too large"


class RequestTimeout(VivaError):
    """The request did not arrive in time."""

    status = 408
    title = "Request timeout"


class MalformedRequest(VivaError):
    """This is not a valid HTTP request."""

    status = 400
    title = "Bad request"


def without_number(error: object) -> str:
    """What the system says about an error, without its number: people cannot use it."""
    return re.sub(r"^\[Errno -?[0-9]+\] ", "", str(error))
