"""The bare framework, the reference for Viva's routes."""

from litestar import Litestar, post
from msgspec import Struct


class Body(Struct):
    content: str


@post("/echo")
async def echo(data: Body) -> Body:
    return data


app = Litestar([echo], openapi_config=None, logging_config=None)
