"""The page of a claim link: who asks; a maintainer confirms once, in its time, from our own page only."""

from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.web.test_login import OTHER_SITE
from viva.agents import accounts, store
from viva.agents.model import name_key
from viva.evaluations.sip import Executable
from viva.exams import expiring, registering, starting
from viva.exams.model import HubFacts
from viva.kit.clock import now

EXAM = "simple-account"


def asks(site: Any, name: str = "ada") -> str:
    """The path of the link of an agent that asks to be claimed."""
    account = site.account(name)
    secret = site.client.app.state.hub.secret

    def unit(db: Any) -> str:
        executable = Executable("account_verification", None)
        make.evaluation(
            db, sip=70, id=EXAM, name="Who is <b>it</b>?", type="simple_pass_fail", config={}, executable=executable
        )
        registering.register(db, EXAM, account.agent)
        given = starting.start(db, HubFacts(secret, ""), EXAM, account.agent, account.key.hash).details
        return str(given["claim_url"])

    return site.database.write_now(unit)


def sign_in(site: Any, name: str = "mary") -> None:
    """Sign in as a maintainer."""
    account = site.database.write_now(lambda db: accounts.promote(db, name))
    site.client.post("/login", data={"key": account.key.text})


def confirm(site: Any, path: str, owner: str = "Ada's house", **headers: str) -> Any:
    return site.client.post(path, data={"owner": owner}, headers=headers, follow_redirects=False)


def main_of(page: str) -> str:
    return page.split("<main")[1].split("</main>")[0]


def owner_of(site: Any, name: str) -> Any:
    return site.database.read_now(lambda db: store.profile(db, name_key(name))).verified_owner


def test_the_page_says_who_asks_for_what_and_has_one_button_for_maintainers(site):
    path = asks(site)
    assert "<button" not in main_of(site.text(path))
    sign_in(site)

    page = site.text(path)

    assert "<h1>Who owns this agent?</h1>" in page
    assert '“<strong class="name">ada</strong>”' in page
    assert f'<a href="/evaluations/{EXAM}">' in page
    assert main_of(page).count("<button") == 1


def test_what_agents_and_authors_wrote_is_shown_as_text(site):
    page = site.text(asks(site, "<img src=x onerror=alert(1)>"))

    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "Who is &lt;b&gt;it&lt;/b&gt;?" in page
    assert "<img" not in page


def test_looking_confirms_nothing(site):
    path = asks(site)

    sign_in(site)
    site.text(path)

    assert "Who owns this agent?" in site.text(path)
    assert owner_of(site, "ada") is None


def test_confirming_leads_to_the_page_that_says_so(site):
    path = asks(site)
    sign_in(site)

    answer = confirm(site, path, **{"sec-fetch-site": "same-origin"})

    assert (answer.status_code, answer.headers["location"]) == (303, path)
    page = site.text(path)
    assert "<h1>The agent is claimed</h1>" in page
    assert "<button" not in main_of(page)
    assert owner_of(site, "ada") == "Ada's house"
    assert "Ada&#39;s house" in site.text("/u/ada")


def test_nobody_else_confirms_and_no_maintainer_its_own_account(site):
    path = asks(site)
    assert confirm(site, path).status_code == 403
    site.client.post("/login", data={"key": site.account("bob").key.text})
    assert confirm(site, path).status_code == 403
    sign_in(site, "ada")
    assert confirm(site, path).status_code == 403

    assert owner_of(site, "ada") is None


def test_an_owner_needs_a_name(site):
    path = asks(site)
    sign_in(site)

    answer = confirm(site, path, owner="  ")

    assert answer.status_code == 422
    assert "Name the owner" in answer.text
    assert owner_of(site, "ada") is None


def test_a_link_works_once(site):
    path = asks(site)
    sign_in(site)
    confirm(site, path)

    answer = confirm(site, path)

    assert answer.status_code == 410
    assert "This link was already used" in answer.text


@pytest.mark.parametrize("headers", OTHER_SITE)
def test_a_form_from_another_site_is_refused(site, headers):
    path = asks(site)
    sign_in(site)

    assert confirm(site, path, **headers).status_code == 403
    assert "Who owns this agent?" in site.text(path)


def test_after_its_time_the_link_is_gone(site):
    path = asks(site)
    sign_in(site)
    moment = now() - timedelta(seconds=1)
    site.database.write_now(
        lambda db: (
            db.execute(
                "UPDATE evaluation_challenges SET issued_at = ?, expires_at = ?", [moment - timedelta(hours=1), moment]
            ).rowcount
        )
    )

    for _ in range(2):  # before it is swept away, and after
        assert site.get(path).status_code == 410
        assert confirm(site, path).status_code == 410
        site.database.write_now(expiring.end_overdue)


@pytest.mark.parametrize("change", [lambda path: path + "x", lambda path: path[:-1], lambda path: "/claim/anything"])
def test_a_link_that_was_tampered_with_is_not_found(site, change):
    path = change(asks(site))
    sign_in(site)

    assert site.get(path).status_code == 404
    assert confirm(site, path).status_code == 404


def test_the_link_of_another_hub_is_not_found(new_site, site):
    other = new_site(VIVA_SECRET="another secret of at least thirty-two letters")

    assert other.get(asks(site)).status_code == 404


def test_a_login_is_no_claim_link_and_a_claim_link_no_login(site):
    path = asks(site)
    key = site.account("bob").key
    login = site.client.post("/login", data={"key": key.text}, follow_redirects=False).cookies["viva_login"]

    assert site.get(f"/claim/{login}").status_code == 404
    site.client.cookies.set("viva_login", path.rpartition("/")[2])
    assert "Signed in as" not in site.text("/evaluations")
