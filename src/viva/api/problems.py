"""Errors as RFC 9457 problem documents."""

import re
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from viva.kit import errors
from viva.kit.errors import Fault, VivaError

MEDIA_TYPE = "application/problem+json"


class NotJson(errors.Invalid):
    """The body is not valid JSON."""


# What Litestar raises by itself, by status.
BY_STATUS: dict[int, type[VivaError]] = {
    kind.status: kind
    for kind in (errors.NotFound, errors.MethodNotAllowed, errors.TooLarge, errors.WrongMediaType, errors.Unavailable)
} | {400: NotJson}


class ProblemError(msgspec.Struct):
    field: str
    code: str
    message: str


class Problem(msgspec.Struct):
    """What went wrong: `code` for programs, `detail` for people, `errors` for each fault of an input."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[ProblemError] | msgspec.UnsetType = msgspec.UNSET


def problem(error: VivaError, request_id: str) -> Problem:
    code = error.code()
    faults = [ProblemError(*fault) for fault in error.faults]
    return Problem(f"/api/docs#{code}", error.title, error.status, str(error), code, request_id, faults or msgspec.UNSET)


def as_viva_error(error: Exception) -> VivaError:
    """The error of ours that says what Litestar, or nobody, foresaw."""
    if isinstance(error, VivaError):
        return error
    if isinstance(error, ValidationException):
        return errors.Invalid(faults=tuple(faults_of(error)))
    if isinstance(error, HTTPException) and error.status_code in BY_STATUS:
        return BY_STATUS[error.status_code]()
    return VivaError()


def faults_of(error: ValidationException) -> list[Fault]:
    extra: list[dict[str, Any]] = [fault for fault in error.extra or [] if isinstance(fault, dict)]
    return [Fault(field_of(fault), "invalid", sentence(str(fault.get("message", "")))) for fault in extra]


def field_of(fault: dict[str, Any]) -> str:
    named = re.search(r"field `(\w+)`", str(fault.get("message", "")))
    return str(fault.get("key") or (named[1] if named else fault.get("source", "body")))


def sentence(message: str) -> str:
    return message.replace("Object ", "The body is ") + ("" if message.endswith(".") else ".")


def answer(request: Request, error: VivaError) -> Response:  # type: ignore[type-arg]
    request_id = request.scope.get("request_id", "")
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(
        msgspec.json.encode(problem(error, str(request_id))), status_code=error.status, headers=headers, media_type=MEDIA_TYPE
    )
