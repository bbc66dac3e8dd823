"""Exemplars show answers: maintainers and markers see them, nobody else does. Research is for everybody."""

from typing import Any

import pytest

from tests.flows.outages import wait_until
from tests.web.test_drafts import bearer, maintainer, sign_in
from viva.evaluations.sip import Executable

MARKED, EXACT = "an answer that the marker compares", "the key of the exact question"
CONFIG = {
    "summary": "Whether an agent can count.",
    "questions": [
        {"id": "sum", "kind": "exact", "text": "1 + 1?", "answers": ["2"]},
        {"id": "why", "kind": "free_text", "text": "Why?", "criteria": "Gives a reason."},
    ],
    "passing_score": 50,
}
RESEARCH: dict[str, Any] = {
    "research_basis": "Peano, 1889.",
    "research_mapping": [{"research": "Peano | 1889", "probe": "sum"}],
    "exemplars": [
        {"probe": "sum", "pass": EXACT, "fail": "3"},
        {"probe": "why", "pass": MARKED, "fail": "<script>alert(1)</script>"},
    ],
}
API = "/api/v1/evaluations"
STRANGERS_ADDRESSES = [
    "/evaluations/counting",
    "/evaluations/counting?version=1.0.0",
    f"{API}/counting",
    f"{API}/counting/versions",
    f"{API}/counting/findings",
    f"{API}/counting/results/export",
    f"{API}?q=counting",
]


@pytest.fixture
def counting(new_site: Any) -> Any:
    site = new_site()
    benchmark = {"type": "complex_benchmark", "executable": Executable("benchmark", None)}
    site.sip(sip=8, id="counting", config=CONFIG, **benchmark, **RESEARCH)
    return site


@pytest.mark.parametrize("address", STRANGERS_ADDRESSES)
def test_a_stranger_sees_the_research_and_no_exemplar(counting, address):
    headers = bearer(counting.account("ada"))

    for answer in (counting.get(address), counting.get(address, headers=headers)):
        assert answer.status_code == 200
        assert EXACT not in answer.text
        assert MARKED not in answer.text
    if address.startswith("/evaluations"):
        assert "Peano, 1889." in counting.text("/evaluations/counting")


def test_a_maintainer_sees_the_exemplars_on_the_page_as_text(counting):
    sign_in(counting, maintainer(counting))

    page = counting.text("/evaluations/counting")

    assert EXACT in page
    assert MARKED in page
    assert "<script>alert" not in page


def test_a_marker_sees_the_exemplars_of_what_is_marked_and_the_candidate_sees_none(counting):
    ada, paul = counting.account("ada"), counting.account("paul")
    place = f"{API}/counting"
    client = counting.client
    registered = client.post(f"{place}/register", headers=bearer(ada)).json()["registration"]
    started = client.post(f"{place}/start", headers=bearer(ada))
    client.post(f"{place}/submit", headers=bearer(ada), json={"answers": {"sum": "2", "why": "It follows."}})
    form = f"{place}/proctor/rubric?registration_id={registered['id']}"
    subject = {"registration_id": registered["id"]}

    wait_until(  # a worker hands it to proctors
        lambda: client.post(f"{place}/proctor/rubric/take", headers=bearer(paul), json=subject).status_code == 200
    )
    as_marker, as_candidate = (client.get(form, headers=bearer(each)) for each in (paul, ada))
    sign_in(counting, paul)
    page = counting.text(f"/proctor/counting/{registered['id']}")

    assert as_marker.json()["exemplars"] == [RESEARCH["exemplars"][1]]
    assert as_candidate.status_code == 403
    assert MARKED not in started.text + as_candidate.text
    assert MARKED in page
    assert EXACT not in page


def test_the_proctor_of_a_session_sees_the_exemplars_and_the_candidate_does_not(new_site):
    site = new_site()
    criteria = [{"id": "kind", "text": "Is kind."}]
    site.sip(
        config={"max_score": 1, "criteria": criteria}, exemplars=[{"probe": "kind", "pass": MARKED, "fail": "No."}]
    )
    ada, paul = site.account("ada"), site.account("paul")
    place = f"{API}/good-manners"
    registered = site.client.post(f"{place}/register", headers=bearer(ada)).json()["registration"]
    site.client.post(f"{place}/start", headers=bearer(ada))
    claimed = {"registration_id": registered["id"]}
    session_id = site.client.post(f"{place}/proctor/claim", headers=bearer(paul), json=claimed).json()["session_id"]

    sign_in(site, paul)
    as_proctor = site.text(f"/sessions/{session_id}")
    sign_in(site, ada)
    as_candidate = site.text(f"/sessions/{session_id}")

    assert MARKED in as_proctor
    assert MARKED not in as_candidate


def test_the_schemas_of_configs_are_served(new_site):
    schemas = new_site().get("/api/v1/schemas").json()["schemas"]

    assert schemas["proctored"]["$defs"]["ProctoredConfig"]["properties"]["observable"] == {
        "type": "boolean",
        "default": False,
    }
