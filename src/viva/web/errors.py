"""The error page."""

from dataclasses import dataclass

from litestar import Request, Response

from viva.kit.errors import VivaError
from viva.web import pages

PROGRAM_PATHS = ("/healthz", "/readyz", "/metrics", "/v1/traces", "/v1/logs", "/mcp", "/a2a")


@dataclass(frozen=True)
class ErrorPage:
    status: int
    title: str
    message: str
    request_id: str


def is_page(path: str) -> bool:
    """Whether the path is a page for people. Programs get JSON."""
    return path == "/api/docs" or not (path.startswith("/api/") or path in PROGRAM_PATHS)


def answer(request: Request, error: VivaError) -> Response[str]:
    page = ErrorPage(error.status, error.title, str(error), str(request.scope.get("request_id", "")))
    frame = pages.frame_of(request)
    response = pages.answer(pages.render("error.html", page, frame), error.status, frame)
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    return response
