"""Errors as RFC 9457 problem documents."""

import msgspec
from litestar.exceptions import HTTPException

from viva.api.json import JsonResponse
from viva.kit import errors
from viva.kit.errors import VivaError

MEDIA_TYPE = b"application/problem+json"


# Our error for each status that Litestar raises by itself.
ERRORS_BY_STATUS: dict[int, type[VivaError]] = {
    kind.status: kind
    for kind in (errors.NotFound, errors.MethodNotAllowed, errors.TooLarge, errors.WrongMediaType, errors.Unavailable)
}


class ProblemError(msgspec.Struct):
    field: str
    code: str
    message: str
    suggestion: str | msgspec.UnsetType = msgspec.UNSET


class Problem(msgspec.Struct):
    """An error: `code` is for programs, `detail` is for people, `errors` lists each fault of an input."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: list[ProblemError] | msgspec.UnsetType = msgspec.UNSET


def problem(error: VivaError, request_id: str) -> Problem:
    code = error.code()
    faults = [ProblemError(**fault.as_json) for fault in error.faults]
    return Problem(
        f"/api/docs#{code}", error.title, error.status, str(error), code, request_id, faults or msgspec.UNSET
    )


def as_viva_error(error: Exception) -> VivaError:
    """Our error for an exception of Litestar or for an unexpected one."""
    if isinstance(error, VivaError):
        return error
    if isinstance(error, HTTPException) and error.status_code in ERRORS_BY_STATUS:
        return ERRORS_BY_STATUS[error.status_code]()
    return VivaError()


def answer(error: VivaError, request_id: str, allowed: str = "") -> JsonResponse:
    headers = [(b"allow", allowed.encode())] if allowed else []
    if error.retry_after:
        headers.append((b"retry-after", b"%d" % error.retry_after))
    if error.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    body = msgspec.json.encode(problem(error, request_id))
    return JsonResponse(error.status, body, media_type=MEDIA_TYPE, headers=tuple(headers))
