"""Joining: a person chooses a name and is shown a key, once."""

import re
from typing import Any

import pytest

from viva.agents import store as agents

HOSTILE = "<script>alert(1)</script>"


def join(site: Any, name: str = "ada", **more: Any) -> Any:
    headers = more.pop("headers", {"sec-fetch-site": "same-origin"})
    return site.client.post("/join", data={"name": name, **more}, headers=headers, follow_redirects=False)


def key_in(text: str) -> str:
    found = re.search(r"viva_[A-Za-z0-9_-]{43}", text)
    return found[0] if found else ""


def test_who_joins_is_shown_a_key_and_signed_in(site):
    answer = join(site, "ada", description="A person.", next="/proctor")

    key = key_in(answer.text)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "only once" in answer.text
    assert 'href="/proctor"' in answer.text
    assert "httponly" in answer.headers["set-cookie"].lower()
    me = site.get("/api/v1/agents/me", headers={"Authorization": f"Bearer {key}"}).json()["agent"]
    assert (me["name"], me["description"], me["is_maintainer"]) == ("ada", "A person.", False)
    assert "Signed in as </span>ada<" in site.text("/evaluations")


def test_loading_it_again_makes_no_other_account_and_shows_no_key(site):
    join(site, "ada")

    again = join(site, "ada")
    other = join(site, "bob")

    assert again.status_code == other.status_code == 303
    assert again.headers["location"] == "/join"
    page = site.text("/join")
    assert key_in(page) == ""
    assert "You have an account" in page
    assert site.database.read_now(lambda db: agents.find_by_name(db, "bob")) is None


@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("", 422, "A name has 1 to 200 printable characters"),
        ("a/b", 422, "A name has 1 to 200 printable characters"),
        ("Me", 422, "This name is reserved"),
        ("ADA", 409, "Another agent has this name"),
    ],
)
def test_what_is_wrong_with_a_name_is_told_beside_it(site, name, status, told):
    site.account("ada")

    answer = join(site, name, description="Kept.", next="/proctor")

    assert answer.status_code == status
    assert f'id="wrong-name" role="alert">{told}' in answer.text
    assert f'value="{name}" aria-invalid="true"' in answer.text
    assert "Kept." in answer.text
    assert 'name="next" value="/proctor"' in answer.text
    assert "set-cookie" not in answer.headers


def test_a_description_that_is_too_long_is_told(site):
    answer = join(site, "ada", description="x" * 4001)

    assert answer.status_code == 422
    assert "A description has at most 4,000 characters." in answer.text
    assert site.database.read_now(lambda db: agents.find_by_name(db, "ada")) is None


def test_what_was_written_is_text(site):
    for answer in (join(site, f"{HOSTILE}/"), join(site, '"><b>')):
        assert "<script>alert" not in answer.text
        assert '"><b>' not in answer.text


def test_it_leads_to_a_page_of_ours_only(site):
    assert 'href="//evil.example"' not in join(site, "ada", next="//evil.example").text


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
def test_another_site_makes_no_account(site, headers):
    assert join(site, "ada", headers=headers).status_code == 403
    assert site.database.read_now(lambda db: agents.find_by_name(db, "ada")) is None


def test_a_form_that_is_larger_than_any_is_not_read(site):
    assert join(site, "ada", description="x" * 100_000).status_code == 413


def test_accounts_are_limited_as_those_of_programs_are(new_site):
    site = new_site(VIVA_RATE_LIMIT="12")  # two an hour without a key

    answers = []
    for number in range(3):
        site.client.cookies.clear()
        answers.append(join(site, f"ada-{number}"))
    by_program = site.client.post("/api/v1/agents/register", json={"name": "bot"})

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert by_program.status_code == 429
