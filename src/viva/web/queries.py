"""Words of an address's query: whatever stands there, a page can be shown."""

from litestar import Request

LONGEST = 200
LONGEST_CURSOR = 1000
LARGEST = 10**9


def word(request: Request, name: str) -> str:
    """The word, or nothing where it is missing, or longer or odder than any that means something here."""
    value = str(request.query_params.get(name, "")).strip()
    return value if len(value) <= LONGEST and "\0" not in value else ""  # PostgreSQL takes no zero in a text


def cursor(request: Request, name: str = "cursor") -> str | None:
    value = str(request.query_params.get(name, ""))
    return value if 0 < len(value) <= LONGEST_CURSOR else None


def count(request: Request, name: str) -> int:
    return number(word(request, name))


def number(text: str) -> int:
    """The number that the text is; Python reads none of thousands of digits."""
    return min(int(text), LARGEST) if len(text) <= LONGEST and text.isascii() and text.isdigit() else 0
