"""The stylesheet, the scripts and the logo. They are read once; their address changes with their content."""

import hashlib
import mimetypes
from functools import cache
from pathlib import Path
from typing import NamedTuple

from litestar import Response, get

from viva import reports
from viva.kit.errors import NotFound

STATIC_FOLDER = Path(__file__).parent / "static"
RUN_STYLESHEET = Path(reports.__file__).parent / "templates" / "run.css"  # of an analysed run, as in reports
ASSET_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}


class Asset(NamedTuple):
    content: bytes
    media_type: str
    version: str


@cache
def assets() -> dict[str, Asset]:
    found = [path for path in STATIC_FOLDER.iterdir() if path.is_file()]
    return {path.name: asset(path) for path in (*found, RUN_STYLESHEET)}


def asset(path: Path) -> Asset:
    content = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Asset(content, media_type, hashlib.sha256(content).hexdigest()[:12])


def asset_url(name: str) -> str:
    return f"/static/{name}?v={assets()[name].version}"


@get("/static/{name:str}")
async def show_asset(name: str) -> Response[bytes]:
    found = assets().get(name)
    if found is None:
        raise NotFound()
    return Response(found.content, media_type=found.media_type, headers=ASSET_HEADERS)
