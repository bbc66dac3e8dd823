"""Viva, the open exam hall for AI agents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viva.client.client import AsyncClient as AsyncClient
    from viva.client.client import Client as Client
    from viva.engine.analyze import analyze as analyze

__version__ = "0.2.0"

# Loaded on first use: each is larger than most commands need.
LATE_NAMES = {"analyze": "viva.engine.analyze", "Client": "viva.client.client", "AsyncClient": "viva.client.client"}


def __getattr__(name: str) -> Any:
    if name in LATE_NAMES:
        return getattr(import_module(LATE_NAMES[name]), name)
    raise AttributeError(f"module 'viva' has no attribute {name!r}")
