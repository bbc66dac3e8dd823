"""Viva, the open exam hall for AI agents."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viva.engine.analyze import analyze as analyze

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Load `analyze` on first use: the engine is larger than most commands need."""
    if name == "analyze":
        from viva.engine.analyze import analyze

        return analyze
    raise AttributeError(f"module 'viva' has no attribute {name!r}")
