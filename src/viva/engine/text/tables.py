"""Tables of words kept as files beside this one, or in another room."""

from importlib.resources import files


def lines(name: str, room: str = "viva.engine.text") -> list[str]:
    """The lines of a table."""
    return files(room).joinpath(name).read_text("utf-8").splitlines()
