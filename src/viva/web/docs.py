"""The page of the API: every endpoint, every shape, every error."""

from functools import cache

from litestar import Litestar, Request, Response, get

from viva.context import HubContext
from viva.kit import errors
from viva.kit.errors import VivaError
from viva.web import pages
from viva.web.openapi import DocsPage, ErrorCode, read


@get("/api/docs")
async def show_docs(request: Request) -> Response[str]:
    return await pages.show(request, "docs/show.html", lambda db: docs_page(request.app))


@cache
def docs_page(app: Litestar) -> DocsPage:
    hub: HubContext = app.state.hub
    return read(hub.openapi(app), common_errors())


def common_errors() -> list[ErrorCode]:
    """The kinds of error that belong to no endpoint."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, VivaError)]
    return [ErrorCode(kind.code(), kind.status, kind.__doc__ or "") for kind in kinds]
