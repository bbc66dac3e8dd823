"""Requests made up from the OpenAPI document: whatever is sent, the hub answers as it says it does, and never fails."""

from contextlib import suppress

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.exam import Exam
from tests.hub import EVALUATION, Hub

EXAMPLES = 5  # for each operation, fitting or not fitting the document, each sent with and without a key
SEED = 1789
CLASS = "island-round"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
# After one of these the key is worth nothing.
COST_THE_KEY = ("DELETE /api/v1/agents/me", "DELETE /api/v1/agents/me/keys", "POST /api/v1/agents/me/keys")


@pytest.fixture(scope="module")
def schema(hub: Hub) -> BaseSchema:
    return schemathesis.openapi.from_url(f"{hub.url}/api/v1/openapi.json")


@pytest.fixture(scope="module")
def known(hub: Hub) -> dict[str, list[str]]:
    """Ids that something has. The sessions have ended: the stream of a running one would never end, and so would the test."""
    exams = [Exam.begin(hub) for _ in range(3)]
    for exam in exams:
        exam.paul.say(exam.session_id, "Question")
        exam.paul.submit(exam.registration_id)
    return {
        "evaluation_id": [EVALUATION, "SIP-2", "3"],
        "session_id": [exam.session_id for exam in exams],
        "result_id": [exam.ada.get("/agents/me/evaluation-results").json()["results"][0]["id"] for exam in exams],
        "name": [exam.ada.name for exam in exams],
        "cohort_id": [exam.paul.post(f"/evaluations/{CLASS}/cohorts", {}).json()["cohort"]["id"] for exam in exams],
    }


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfitting"])
def test_whatever_is_sent_the_hub_does_not_fail(hub: Hub, schema, known, subtests, mode: GenerationMode):
    with requests.Session() as session:
        for found in schema.get_all_operations():
            operation = found.ok()
            with subtests.test(operation.label):
                send_many(hub, session, operation, mode, known)


def send_many(
    hub: Hub, session: requests.Session, operation: APIOperation, mode: GenerationMode, known: dict[str, list[str]]
) -> None:
    key = hub.agent("ada").key

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), is_known=st.booleans(), pick=st.integers(0, 2))
    def send(case: Case, is_known: bool, pick: int) -> None:
        if is_known:
            given = case.path_parameters or {}
            case.path_parameters = {name: known[name][pick] if name in known else given[name] for name in given}
            if "/cohorts" in operation.label:
                case.path_parameters["evaluation_id"] = CLASS
        own = hub.agent("ada").key if operation.label in COST_THE_KEY else key
        # One after the other: making a case up takes longer than sending it.
        for headers in ({}, {"Authorization": f"Bearer {own}"}):
            check(case, case.call(session=session, headers=headers, timeout=30))

    with suppress(Unsatisfiable):  # nothing unfitting can be said to a route that takes nothing, or any text
        send()


def check(case: Case, response: Response) -> None:
    # Events and files have no place in an OpenAPI 3.1 schema; what they hold is tested in flows/test_streams.py
    # and api/test_exports.py.
    kinds = ("application/json", "application/problem+json")
    is_json = response.headers["content-type"][0].startswith(kinds) if response.content else True
    case.validate_response(response, checks=[*CHECKS, response_schema_conformance] if is_json else CHECKS)
