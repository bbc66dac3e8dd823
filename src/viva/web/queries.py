"""Words of an address's query: whatever stands there, a page can be shown."""

from litestar import Request

MAX_QUERY_CHARACTERS = 200
MAX_CURSOR_CHARACTERS = 1000
MAX_QUERY_NUMBER = 10**9


def word(request: Request, name: str) -> str:
    """The word, or nothing where it is missing, or longer or odder than any that means something here."""
    value = str(request.query_params.get(name, "")).strip()
    return (
        value if len(value) <= MAX_QUERY_CHARACTERS and "\0" not in value else ""
    )  # PostgreSQL takes no zero in a text


def cursor(request: Request, name: str = "cursor") -> str | None:
    value = str(request.query_params.get(name, ""))
    return value if 0 < len(value) <= MAX_CURSOR_CHARACTERS else None


def count(request: Request, name: str) -> int:
    return number(word(request, name))


def number(text: str) -> int:
    """The number that the text is; Python reads none of thousands of digits."""
    return (
        min(int(text), MAX_QUERY_NUMBER)
        if len(text) <= MAX_QUERY_CHARACTERS and text.isascii() and text.isdigit()
        else 0
    )
