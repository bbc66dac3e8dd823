"""Every route of the API is in its reference, with what it does and what can go wrong."""

from typing import Any

import pytest

from tests.walks import new_hub
from viva.app import API

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    with new_hub() as client:
        document: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return document


def test_every_operation_says_what_it_does(reference: dict[str, Any]):
    silent = [
        f"{method} {path}"
        for path, operations in reference["paths"].items()
        for method, operation in operations.items()
        if method in METHODS and not (operation.get("summary") and operation.get("description", "").endswith("."))
    ]

    assert len(reference["paths"]) > 10
    assert silent == []


def test_every_route_of_the_api_is_in_the_reference(reference: dict[str, Any]):
    paths = {route.path.replace(":str}", "}") for route in API.routes}

    assert paths - reference["paths"].keys() == set()
