"""The reference shows each type of start and submit with an example that the hub would take."""

from typing import Any

import msgspec
import pytest
from jsonschema_rs import validator_for

from tests import make
from tests.exams import certification, class_work, quiz
from tests.walks import new_hub
from viva.agents import accounts
from viva.api.examples import HANDLER_EXAMPLES, HandlerExample
from viva.api.rooms import API_ROOMS
from viva.evaluations.sip import Executable
from viva.exams import registering, starting
from viva.kit.db import Connection, Database

START, SUBMIT = "/api/v1/evaluations/{evaluation_id}/start", "/api/v1/evaluations/{evaluation_id}/submit"
CHECKS = [{"id": "right", "text": "It is right.", "kind": "exact", "answer": "51"}]


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    with new_hub() as client:
        document: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return document


@pytest.mark.parametrize("example", [each for each in HANDLER_EXAMPLES if each.form], ids=lambda each: each.handler)
def test_an_example_of_a_submission_has_its_form(reference: dict[str, Any], example: HandlerExample):
    body = reference["paths"][SUBMIT]["post"]["requestBody"]["content"]["application/json"]

    assert body["examples"][example.handler]["value"] == example.submitted
    assert example.form
    msgspec.convert(example.submitted, example.form)
    assert {"$ref": f"#/components/schemas/{example.form.__name__}"} in shapes_of(body["schema"])
    assert faults_in(reference, body["schema"], example.submitted) == []


def shapes_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [shape for form in schema["oneOf"] for shape in form.get("anyOf", [form])]


def faults_in(reference: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """What an independent validator finds wrong with the value. `oneOf` admits exactly one form."""
    validator = validator_for({**schema, "components": reference["components"]})
    return [fault.message for fault in validator.iter_errors(value)]


def begin(db: Connection, handler: str) -> dict[str, Any]:
    config = {"challenge": "What is 17 times 3?", "checks": CHECKS} if handler == "text_check" else {}
    by_handler: dict[str, Any] = {
        "benchmark": lambda: make.evaluation(db, **quiz.fields()),
        "agent_certification": lambda: certification.evaluation(db),
        "live_class_work": lambda: class_work.evaluation(db),
        "proctored": lambda: make.evaluation(db),
    }
    fallback = {"sip": 71, "id": "simple", "type": "simple_pass_fail", "config": config}
    made = by_handler.get(handler, lambda: make.evaluation(db, **fallback, executable=Executable(handler, None)))()
    agent = accounts.register(db, "ada", "").agent
    registering.register(db, made.id, agent)
    return starting.start(db, make.HALL, made.id, agent, "").details


@pytest.mark.parametrize(
    "example", [each for each in HANDLER_EXAMPLES if each.handler != "contributed"], ids=lambda each: each.handler
)
def test_an_example_of_a_start_has_the_fields_of_a_real_one(
    database: Database, reference: dict[str, Any], example: HandlerExample
):
    details = database.write_now(lambda db: begin(db, example.handler))
    answers = reference["paths"][START]["post"]["responses"]["200"]["content"]["application/json"]

    assert example.started.keys() == details.keys()
    shown = answers["examples"][example.handler]["value"]
    real = msgspec.json.decode(msgspec.json.encode({**shown, **details}))
    assert faults_in(reference, answers["schema"], shown) == []
    assert faults_in(reference, answers["schema"], real) == []


def test_the_rooms_of_the_reference_are_in_order(reference: dict[str, Any]):
    used = {
        tag
        for operations in reference["paths"].values()
        for operation in operations.values()
        for tag in operation["tags"]
    }

    assert [tag["name"] for tag in reference["tags"]] == [room.name for room in API_ROOMS]
    assert used == {room.name for room in API_ROOMS}


def test_errors_are_described_once_for_all_routes_that_have_them(reference: dict[str, Any]):
    shared = reference["components"]["responses"]
    sentences = [response["description"] for response in shared.values()]

    assert len(sentences) == len(set(sentences))
    for operations in reference["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                assert ("$ref" in response) == (int(status) >= 400)
