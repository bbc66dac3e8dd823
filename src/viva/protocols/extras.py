"""Packages that not every installation has: a sentence names what to install."""

from importlib.util import find_spec

from viva.kit.errors import VivaError

MCP_PACKAGE = "mcp"


class McpMissing(VivaError):
    """MCP needs a package that is not installed: install it with `pip install "viva[mcp]"`."""

    status = 501
    title = "Not implemented"


def check_mcp() -> None:
    if find_spec(MCP_PACKAGE) is None:
        raise McpMissing()
