"""Certificates: given for what was passed, and told true or not by anybody who asks."""

import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from viva.agents import store as agents
from viva.evaluations.published_digest import digest_key
from viva.results.model import NamedResult
from viva.web import certificates

SECRET = b"the secret of a hub in tests"


def code_on(site: Any, result: NamedResult) -> str:
    page = site.text(f"/evaluations/result/{result.id}/certificate")
    found = re.search(r'class="code">([A-Z2-7-]{19})<', page)
    assert found
    return found[1]


def verified(site: Any, result_id: str, code: str) -> Any:
    return site.get(f"/certificates/{result_id}/{code}")


def test_a_certificate_states_the_facts_and_where_they_can_be_seen(new_site):
    site = new_site(VIVA_BASE_URL="https://exams.example")
    site.sip()
    result = site.result("ada", score=87.5)

    page = site.text(f"/evaluations/result/{result.id}/certificate")

    for fact in (
        "ada",
        "Good manners (SIP-7)",
        "1.0.0",
        "87.5 of 100",
        "paul for ada",
        digest_key(site.secret).publish(result.evaluation_digest),
    ):
        assert fact in page
    assert f'href="https://exams.example/certificates/{result.id}/{code_on(site, result)}"' in page
    assert f'href="/evaluations/result/{result.id}/certificate"' in site.text(f"/evaluations/result/{result.id}")


def test_what_was_not_passed_has_no_certificate(site):
    result = site.result("ada", passed=False)

    answer = site.get(f"/evaluations/result/{result.id}/certificate")

    assert answer.status_code == 404
    assert "This result was not passed. Only a passed result has a certificate." in answer.text
    assert "/certificate" not in site.text(f"/evaluations/result/{result.id}")


def test_practice_has_no_certificate(site):
    result = site.result("ada", is_practice=True)

    answer = site.get(f"/evaluations/result/{result.id}/certificate")

    assert answer.status_code == 404
    assert "This result is practice. Only an official result has a certificate." in answer.text
    assert "/certificate" not in site.text(f"/evaluations/result/{result.id}")


def test_its_code_is_told_true_with_the_facts_as_they_are_kept(site):
    result = site.result("ada", score=87.5)

    answer = verified(site, result.id, code_on(site, result))

    assert answer.status_code == 200
    assert "This certificate is genuine" in answer.text
    assert "87.5 of 100" in answer.text
    assert f"/evaluations/result/{result.id}" in answer.text


def test_a_code_can_be_typed_in_small_letters_without_its_hyphens(site):
    result = site.result("ada")

    assert verified(site, result.id, code_on(site, result).replace("-", "").lower()).status_code == 200


@pytest.mark.parametrize("code", ["AAAA-AAAA-AAAA-AAAA", "x", "é-é", "%00", "A" * 5000, "-"])
def test_any_other_code_is_told_untrue(site, code):
    result = site.result("ada")

    answer = verified(site, result.id, code)

    assert answer.status_code == 404
    assert "the code does not match the result" in answer.text


def test_the_code_of_one_result_is_not_anothers(site):
    ada, bob = site.result("ada"), site.result("bob")

    assert verified(site, bob.id, code_on(site, ada)).status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        "score = 99",
        "evaluation_version = '9.9.9'",
        "max_score = 1000",
        "evaluation_digest = 'other'",
        "passed = FALSE, points_earned = 0",
    ],
)
def test_a_changed_fact_makes_the_paper_untrue(site, change):
    result = site.result("ada", score=50)
    code = code_on(site, result)

    site.database.write_now(lambda db: db.execute(f"UPDATE evaluation_results SET {change}"))

    assert verified(site, result.id, code).status_code == 404


def test_no_such_result_is_a_page(site):
    assert verified(site, "eval_res_0", "AAAA-AAAA-AAAA-AAAA").status_code == 404
    assert site.get("/evaluations/result/eval_res_0/certificate").status_code == 404


def test_a_deleted_agents_certificate_stays_true_without_its_name(site):
    result = site.result("ada")
    code = code_on(site, result)
    site.database.write_now(lambda db: agents.erase(db, result.agent_id))

    answer = verified(site, result.id, code)

    assert answer.status_code == 200
    assert "deleted agent" in answer.text
    assert 'href="/u/' not in answer.text
    assert "deleted agent" in site.text(f"/evaluations/result/{result.id}/certificate")


def test_another_hub_has_another_code(site):
    result = site.result("ada")

    assert certificates.code_of(SECRET, result) != certificates.code_of(b"another secret", result)
    assert certificates.is_code_of(SECRET, result, certificates.code_of(SECRET, result))


def test_the_code_holds_the_moment_and_the_agent(site):
    result = site.result("ada")
    code = certificates.code_of(SECRET, result)

    later = msgspec.structs.replace(result, completed_at=result.completed_at + timedelta(microseconds=1))
    other = msgspec.structs.replace(result, agent_id="agent_0")
    renamed = msgspec.structs.replace(result, agent_name="eve")

    assert certificates.code_of(SECRET, later) != code
    assert certificates.code_of(SECRET, other) != code
    assert certificates.code_of(SECRET, renamed) == code


def test_what_agents_wrote_is_never_markup_on_a_certificate(site):
    hostile = "<script>alert(1)<img src=x onerror=alert(1)>"
    result = site.result(hostile, proctor=hostile)
    code = code_on(site, result)

    for page in (site.text(f"/evaluations/result/{result.id}/certificate"), verified(site, result.id, code).text):
        assert "<script>" not in page
        assert "<img" not in page
        assert "&lt;script&gt;alert(1)" in page
