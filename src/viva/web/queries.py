"""Read query parameters of pages. Invalid values are ignored, so that a page can always be shown."""

from litestar import Request

MAX_QUERY_CHARACTERS = 200
MAX_CURSOR_CHARACTERS = 1000
MAX_QUERY_NUMBER = 10**9


def word(request: Request, name: str) -> str:
    """The text of a parameter, or an empty text if it is missing, too long, or not storable."""
    value = str(request.query_params.get(name, "")).strip()
    is_storable = "\0" not in value  # PostgreSQL cannot store a null character
    return value if len(value) <= MAX_QUERY_CHARACTERS and is_storable else ""


def cursor(request: Request, name: str = "cursor") -> str | None:
    value = str(request.query_params.get(name, ""))
    return value if 0 < len(value) <= MAX_CURSOR_CHARACTERS else None


def count(request: Request, name: str) -> int:
    return number(word(request, name))


def number(text: str) -> int:
    """Parse a number, or return 0. Python refuses numbers of thousands of digits."""
    return (
        min(int(text), MAX_QUERY_NUMBER)
        if len(text) <= MAX_QUERY_CHARACTERS and text.isascii() and text.isdigit()
        else 0
    )
