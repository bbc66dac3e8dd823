"""Tables of words kept as files beside this one."""

from importlib.resources import files


def lines(name: str) -> list[str]:
    """The lines of a table."""
    return files("viva.engine.text").joinpath(name).read_text("utf-8").splitlines()
