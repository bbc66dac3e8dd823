"""Requests made up from the OpenAPI document: whatever is sent, the hub answers as it says it does, and never fails."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.exam import Exam
from tests.conftest import DATABASES, fresh_url
from tests.hub import EVALUATION, Hub, load

EXAMPLES = load(2, 4)  # for each operation, fitting or not fitting the document, each sent with and without a key
SEED = 1789  # of the first round; each round of a soak makes up other cases
CLASS = "island-round"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
# After one of these the key is worth nothing.
COST_THE_KEY = ("DELETE /api/v1/agents/me", "DELETE /api/v1/agents/me/keys", "POST /api/v1/agents/me/keys")


class Served(NamedTuple):
    """A hub and ids that something has there."""

    hub: Hub
    known: dict[str, list[str]]


@pytest.fixture(scope="module")
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    """A hub on each database. Both get the same cases, because making one up takes longer than sending it."""
    with ExitStack() as served:
        folders = {kind: tmp_path_factory.mktemp("hub") for kind in DATABASES}
        hubs = [served.enter_context(Hub(fresh_url(kind, request, at), at)) for kind, at in folders.items()]
        yield [Served(hub, known_ids(hub)) for hub in hubs]


def known_ids(hub: Hub) -> dict[str, list[str]]:
    """The sessions have ended: the stream of a running one would never end, and so would the test."""
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


@pytest.mark.soak
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "unfitting"])
def test_whatever_is_sent_the_hub_does_not_fail(request, both: list[Served], subtests, mode: GenerationMode):
    first_case = SEED + request.node.callspec.params.get("round_number", 0)
    schema: Any = schemathesis.openapi.from_url(f"{both[0].hub.url}/api/v1/openapi.json")

    with requests.Session() as session:
        for found in schema.get_all_operations():
            operation = found.ok()
            with subtests.test(operation.label):
                send_many(both, session, operation, mode, first_case)


def send_many(
    both: list[Served], session: requests.Session, operation: APIOperation, mode: GenerationMode, first_case: int
) -> None:
    keys = [served.hub.agent("ada").key for served in both]

    @seed(first_case)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), is_known=st.booleans(), pick=st.integers(0, 2))
    def send(case: Case, is_known: bool, pick: int) -> None:
        made_up = case.path_parameters or {}
        for (hub, known), key in zip(both, keys, strict=True):
            if is_known:
                case.path_parameters = {name: known[name][pick] if name in known else made_up[name] for name in made_up}
                if "/cohorts" in operation.label:
                    case.path_parameters["evaluation_id"] = CLASS
            own = hub.agent("ada").key if operation.label in COST_THE_KEY else key
            for headers in ({}, {"Authorization": f"Bearer {own}"}):
                check(case, case.call(hub.url, session, headers=headers, timeout=30))

    with suppress(Unsatisfiable):  # nothing unfitting can be said to a route that takes nothing, or any text
        send()


def check(case: Case, response: Response) -> None:
    # Events and files have no place in an OpenAPI 3.1 schema; what they hold is tested in flows/test_streams.py
    # and api/test_exports.py.
    kinds = ("application/json", "application/problem+json")
    is_json = response.headers["content-type"][0].startswith(kinds) if response.content else True
    case.validate_response(response, checks=[*CHECKS, response_schema_conformance] if is_json else CHECKS)
