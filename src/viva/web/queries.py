"""Words of an address's query: whatever stands there, a page can be shown."""

from litestar import Request

LONGEST = 200
LONGEST_CURSOR = 1000
LARGEST = 10**9


def word(request: Request, name: str) -> str:
    """The word, or nothing where it is missing or longer than any that means something here."""
    value = str(request.query_params.get(name, "")).strip()
    return value if len(value) <= LONGEST else ""


def cursor(request: Request) -> str | None:
    value = str(request.query_params.get("cursor", ""))
    return value if 0 < len(value) <= LONGEST_CURSOR else None


def count(request: Request, name: str) -> int:
    value = word(request, name)
    return min(int(value), LARGEST) if value.isascii() and value.isdigit() else 0
