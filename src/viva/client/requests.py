"""Calls become HTTP requests."""

from typing import Any

import httpx
import msgspec
from msgspec import UNSET

from viva.client.calls import Call

REQUEST_TIMEOUT_SECONDS = 60.0  # longer than a long poll, and than the pause between two signs of life of a stream


def headers_with(key: str | None) -> dict[str, str]:
    return {"User-Agent": "viva-client"} | ({"Authorization": f"Bearer {key}"} if key else {})


def build_request(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    headers, content = dict(call.headers), b""
    if call.body is not UNSET:
        content = call.body if isinstance(call.body, bytes) else msgspec.json.encode(call.body)
        headers["Content-Type"] = call.media_type or "application/json"
    if call.idempotency_key:
        headers["Idempotency-Key"] = call.idempotency_key
    query = {name: as_text(value) for name, value in call.query.items() if value is not None}
    return http.build_request(call.method, call.path, params=query, content=content, headers=headers)


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
