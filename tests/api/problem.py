"""What every refusal has to look like."""

import re
from typing import Any

import httpx

FIELDS = {"type", "title", "status", "detail", "code", "request_id"}
CODE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
SENTENCE = re.compile(r"[A-Z\"“].*\.", re.DOTALL)
# Words of our tools, which a caller need not know.
FOREIGN = re.compile(
    r"\b(str|int|float|bool|dict|tuple|NoneType|enum|struct|kwargs?|codec|Traceback|\w+Error|\w+Exception|Python|msgspec|litestar"
    r"|SQL|SELECT|INSERT|UPDATE|UNIQUE|sqlite|postgres\w*|psycopg|constraint|recursion|deserializing)\b|'data'"
)


def problem(answer: httpx.Response, status: int, code: str | None = None, field: str | None = None) -> dict[str, Any]:
    """The problem document of a refusal, once it is found to keep every convention."""
    assert answer.status_code == status, f"{answer.status_code} instead of {status}: {answer.text[:500]}"
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body.keys() - {"errors"} == FIELDS
    assert body["status"] == status
    assert body["type"]
    assert body["title"]
    assert CODE.fullmatch(body["code"])
    assert body["request_id"] == answer.headers["x-request-id"]
    if status == 422:
        assert body.get("errors"), f"Bad input names its faults: {body}"
    for error in body.get("errors", []):
        assert error.keys() == {"field", "code", "message"}
        assert CODE.fullmatch(error["code"])
    if code:
        assert body["code"] == code
    if field:
        assert field in [error["field"] for error in body["errors"]]
    for text in (body["detail"], *[error["message"] for error in body.get("errors", [])]):
        check_sentence(text)
    return body


def check_sentence(text: str) -> None:
    assert SENTENCE.fullmatch(text), f"Not a sentence: {text}"
    assert not FOREIGN.search(text), f"Not for people: {text}"
