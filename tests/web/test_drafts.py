"""Drafts are seen by maintainers and by whose contribution they were; for everybody else they do not exist."""

from typing import Any

import pytest

from tests import make
from tests.contributions.submitted import submission
from viva.agents import accounts
from viva.agents import store as agents
from viva.agents.accounts import Account
from viva.exams import joining
from viva.kit.clock import now

DRAFT, NOTHING = "sums", "none"  # as long as each other, so that answers can be compared letter by letter
API = "/api/v1/evaluations"
PAGES = ["/evaluations/{}", "/evaluations/{}?version=1.0.0"]
READS = [
    "",
    "/versions",
    "/leaderboard",
    "/findings",
    "/matrix",
    "/items",
    "/results",
    "/results/export",
    "/cohorts",
    "/proctor/pending",
]
WRITES = {
    "/register": {},
    "/start": {},
    "/submit": {},
    "/cancel": {},
    "/answers": {"answers": {}},
    "/cohorts": {},
    "/cohorts/eval_cohort_1/join": {},
    "/cohorts/eval_cohort_1/leave": {},
    "/cohorts/eval_cohort_1/start": {},
    "/cohorts/eval_cohort_1/finish": {},
    "/proctor/claim": {"registration_id": "eval_reg_1"},
    "/proctor/release": {"registration_id": "eval_reg_1"},
    "/proctor/submit": {"registration_id": "eval_reg_1", "passed": True},
    "/proctor/rubric": {"registration_id": "eval_reg_1", "marks": []},
    "/proctor/rubric/take": {"registration_id": "eval_reg_1"},
    "/proctor/rubric/release": {"registration_id": "eval_reg_1"},
    "/proctor/readings/eval_reading_1/take": {},
    "/proctor/readings/eval_reading_1/release": {},
    "/proctor/readings/eval_reading_1": {"passed": True},
}
MORE_READS = [
    "/job/job_1",
    "/answers",
    "/challenge/eval_chal_1",
    "/results/eval_res_1/transcript",
    "/results/eval_res_1/record",
    "/cohorts/eval_cohort_1",
]


@pytest.fixture
def drafted(site: Any) -> Any:
    site.sip(sip=8, id=DRAFT, name="Sums", status="draft", author="ada")
    return site


def bearer(account: Account) -> dict[str, str]:
    return {"Authorization": f"Bearer {account.key.text}"}


def maintainer(site: Any) -> Account:
    return site.database.write_now(lambda db: accounts.promote(db, "mia"))


def sign_in(site: Any, account: Account) -> None:
    site.client.post("/login", data={"key": account.key.text})


def answer_about(site: Any, method: str, path: str, **options: Any) -> tuple[int, str]:
    answer = site.client.request(method, path, **options)
    words = answer.json() if "json" in answer.headers["content-type"] else {"text": answer.text}
    words.pop("request_id", None)
    words.pop("instance", None)
    return answer.status_code, str(words)


@pytest.mark.parametrize("path", READS + MORE_READS)
def test_a_stranger_is_told_of_a_draft_what_is_told_of_nothing(drafted, path):
    headers = bearer(drafted.account("ada"))  # the name that the SIP has as its author's

    found = answer_about(drafted, "GET", f"{API}/{DRAFT}{path}", headers=headers)
    missing = answer_about(drafted, "GET", f"{API}/{NOTHING}{path}", headers=headers)

    assert found[0] == 404
    assert found == missing


@pytest.mark.parametrize("path", WRITES)
def test_a_stranger_can_do_with_a_draft_what_can_be_done_with_nothing(drafted, path):
    headers, body = bearer(drafted.account("ada")), WRITES[path]

    found = answer_about(drafted, "POST", f"{API}/{DRAFT}{path}", headers=headers, json=body)
    missing = answer_about(drafted, "POST", f"{API}/{NOTHING}{path}", headers=headers, json=body)

    assert found[0] == 404
    assert found == missing


def test_nobody_without_a_key_finds_a_draft_by_its_number(drafted):
    for name in (DRAFT, "SIP-8", "8"):
        assert drafted.get(f"{API}/{name}").status_code == 404
        assert drafted.get(f"/evaluations/{name}").status_code == 404


def test_lists_and_searches_have_no_drafts(drafted):
    listed = drafted.get(API).json()["evaluations"]

    assert [one["id"] for one in listed] == ["good-manners"]
    assert drafted.get(API, params={"status": "draft"}).json() == {"evaluations": [], "next_cursor": None}
    assert drafted.get(API, params={"q": "sums"}).json()["evaluations"] == []
    assert "Sums</a>" not in drafted.text("/evaluations")
    assert "Sums</a>" not in drafted.text("/evaluations", status="draft")
    assert "Sums</a>" not in drafted.text("/search", q="sums")
    assert '<option value="draft"' not in drafted.text("/evaluations")


def test_whose_contribution_was_merged_sees_its_draft(drafted):
    uma = drafted.account("uma")
    drafted.database.write_now(
        lambda db: submission(
            db, contributor_id=uma.agent.id, status="merged", evaluation_id=DRAFT, sip_number=8, merged_at=now()
        )
    )

    assert drafted.get(f"{API}/{DRAFT}", headers=bearer(uma)).status_code == 200
    assert drafted.get(f"{API}/{DRAFT}", headers=bearer(drafted.account("eve"))).status_code == 404


def test_a_maintainer_sees_drafts_everywhere(drafted):
    mia = maintainer(drafted)
    headers = bearer(mia)
    sign_in(drafted, mia)

    assert [one["id"] for one in drafted.get(API, headers=headers).json()["evaluations"]] == ["good-manners", DRAFT]
    for path in READS:
        status = drafted.get(f"{API}/{DRAFT}{path}", headers=headers).status_code
        assert status == (409 if path == "/cohorts" else 200), path  # it is no class work
    for path in ("/evaluations", "/evaluations?status=draft", "/search?q=sums"):
        assert "Sums</a>" in drafted.text(path)
    assert '<option value="draft"' in drafted.text("/evaluations")
    assert "nobody can register for it" in drafted.text(f"/evaluations/{DRAFT}")


@pytest.fixture
def recalled(site: Any) -> dict[str, str]:
    """Addresses of what came of an evaluation that is a draft again."""
    result = site.result("ada", score=90)
    other = site.result("bob", score=80)
    session = site.database.read_now(lambda db: result.session_id)
    site.sip(status="draft")
    return {
        "result": f"/evaluations/result/{result.id}",
        "certificate": f"/evaluations/result/{result.id}/certificate",
        "compare": f"/evaluations/compare?a={result.id}&b={other.id}",
        "session": f"/sessions/{session}",
        "api result": f"{API}/results/{result.id}",
        "api transcript": f"{API}/good-manners/results/{result.id}/transcript",
        "api session": f"{API}/good-manners/sessions/{session}",
        "api messages": f"{API}/good-manners/sessions/{session}/messages",
    }


@pytest.mark.parametrize(
    "name",
    ["result", "certificate", "compare", "session", "api result", "api transcript", "api session", "api messages"],
)
def test_what_came_of_an_evaluation_that_is_a_draft_again_is_hidden_with_it(site, recalled, name):
    assert site.get(recalled[name]).status_code == 404
    eve = site.account("eve")
    sign_in(site, eve)
    assert site.get(recalled[name], headers=bearer(eve)).status_code == 404

    mia = maintainer(site)
    sign_in(site, mia)
    assert site.get(recalled[name], headers=bearer(mia)).status_code == 200


def test_who_took_part_still_sees_it(site, recalled):
    def with_key(db: Any) -> Account:
        agent = agents.find_by_name(db, "ada")
        assert agent
        return Account(agent, accounts.add_key(db, agent))

    ada = site.database.write_now(with_key)
    sign_in(site, ada)

    assert site.get(recalled["result"]).status_code == 200
    assert site.get(f"{API}/good-manners", headers=bearer(ada)).status_code == 200
    assert site.get(f"{API}/good-manners/register", headers=bearer(ada)).status_code == 405


def test_lists_of_results_and_waiting_candidates_do_not_name_a_draft(site):
    site.result("ada", score=90)
    site.database.write_now(lambda db: make.registration(db, make.agent(db, "cora")))
    eve = site.account("eve")
    sign_in(site, eve)
    assert "Good manners" in site.text("/")
    assert "Good manners" in site.text("/proctor")

    site.sip(status="draft")

    assert "Good manners" not in site.text("/")
    assert "Good manners" not in site.text("/proctor")
    sign_in(site, maintainer(site))
    assert "Good manners" in site.text("/proctor")


def test_a_class_of_a_draft_is_hidden_with_it(site):
    from tests.exams import class_work

    def open_class(db: Any) -> str:
        class_work.evaluation(db)
        return joining.open_cohort(db, class_work.CLASS, make.agent(db, "ida"), "instructor").cohort.id

    cohort = site.database.write_now(open_class)
    assert site.get(f"/classes/{cohort}").status_code == 200
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_definitions SET status = 'draft'"))

    missing = site.get("/classes/eval_cohort_1")
    hidden = site.get(f"/classes/{cohort}")

    assert hidden.status_code == missing.status_code == 404
    assert "There is no cohort with this id" in hidden.text
    assert "There is no cohort with this id" in missing.text
