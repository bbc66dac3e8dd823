"""The pages of maintainers: who sees each, and what their forms do."""

import html
import re
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests import make
from tests.maintaining.people import SPAM
from viva.agents import accounts, invitations, store
from viva.agents.accounts import Account
from viva.agents.model import name_key
from viva.kit import signing_keys
from viva.kit.actors import COMMAND
from viva.kit.events import act_as
from viva.maintaining import suspending

PAGES = [
    "",
    "/agents",
    "/reports",
    "/hidden",
    "/invitations",
    "/proctors",
    "/evaluations",
    "/keys",
    "/agents/ada",
    "/messages/x",
]
FORMS = [*PAGES[1:-2], "/agents/ada/suspend", "/hide", "/hidden/erase", "/void"]


def sign_in(site: Any, account: Account) -> None:
    site.client.cookies.clear()
    site.client.post("/login", data={"key": account.key.text})


def promote(site: Any, name: str = "mary") -> Account:
    account: Account = site.database.write_now(lambda db: accounts.promote(db, name))
    return account


def write(site: Any, unit: Any) -> Any:
    return site.database.write_now(act_as(COMMAND, unit))


def send(site: Any, path: str, **fields: Any) -> Any:
    return site.client.post(path, data=fields, follow_redirects=False)


def profile(site: Any, name: str) -> Any:
    return site.database.read_now(lambda db: store.profile(db, name_key(name)))


def test_only_maintainers_see_the_pages_and_send_the_forms(site):
    site.account("ada")
    bob, eve = site.account("bob"), site.account("eve")
    write(site, lambda db: suspending.suspend(db, eve.agent, "A test."))
    for path in PAGES:
        answer = site.get(f"/maintain{path}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"].split("?")[0]) == (303, "/login"), path
    for path in FORMS:
        answer = send(site, f"/maintain{path}", reason="x")
        assert (answer.status_code, answer.headers["location"].split("?")[0]) == (303, "/login"), path
    for account in (bob, eve):
        sign_in(site, account)
        assert {site.get(f"/maintain{path}").status_code for path in PAGES} == {403}
        assert {send(site, f"/maintain{path}", reason="x").status_code for path in FORMS} == {403}
    sign_in(site, promote(site))
    assert {site.get(f"/maintain{path}").status_code for path in PAGES[:-1]} == {200}
    assert site.get("/maintain/messages/x").status_code == 404


def test_a_form_from_another_site_is_refused(site):
    site.account("ada")
    sign_in(site, promote(site))

    answer = site.client.post(
        "/maintain/agents/ada/suspend", data={"reason": "x"}, headers={"sec-fetch-site": "cross-site"}
    )

    assert answer.status_code == 403
    assert profile(site, "ada").suspended_at is None


def test_everything_that_can_be_done_with_one_agent(site):
    write(site, lambda db: accounts.register(db, "ada", SPAM))
    sign_in(site, promote(site))
    ada = profile(site, "ada")

    assert send(site, "/maintain/agents/ada/suspend", reason="").status_code == 422
    send(site, "/maintain/agents/ada/suspend", reason="Spam.")
    assert profile(site, "ada").suspension_reason == "Spam."
    assert send(site, "/maintain/agents/ada/suspend", reason="Spam.").status_code == 409
    send(site, "/maintain/agents/ada/restore")
    assert profile(site, "ada").suspended_at is None
    send(site, "/maintain/agents/ada/verify", owner="Ada's house")
    assert profile(site, "ada").verified_owner == "Ada's house"
    key_page = send(site, "/maintain/agents/ada/key")
    assert key_page.status_code == 200
    assert "viva_" in key_page.text
    send(site, "/maintain/agents/ada/appoint")
    send(site, "/maintain/agents/ada/dismiss")
    send(site, "/maintain/agents/ada/hide-description", reason="Advertising.")
    send(site, "/maintain/agents/ada/hide-name", reason="Advertising.")
    public = site.text(f"/u/hidden-{ada.id[-12:]}")
    assert SPAM not in public
    assert "Name: Hidden by mary on" in public
    assert "Description: Hidden by mary on" in public
    assert send(site, "/maintain/agents/ada/explode").status_code == 404


def test_the_profile_is_hidden_on_the_page_as_long_as_it_says_anything(site):
    write(site, lambda db: accounts.change(db, accounts.register(db, "ada", "").agent, None, None, model="zorkmodel"))
    sign_in(site, promote(site))
    button = "Hide the description and details"
    assert (button in site.text("/maintain/agents/ada"), "zorkmodel" in site.text("/u/ada")) == (True, True)

    send(site, "/maintain/agents/ada/hide-description", reason="Advertising.")

    assert (button in site.text("/maintain/agents/ada"), "zorkmodel" in site.text("/u/ada")) == (False, False)
    assert "Description: Hidden by mary on" in site.text("/u/ada")
    assert "Model: zorkmodel" in site.text("/maintain/hidden")
    write(site, lambda db: accounts.change(db, make.found_agent(db, "ada"), None, None, version="zorkversion"))
    assert button in site.text("/maintain/agents/ada")


def test_a_hidden_text_is_erased_once_that_is_confirmed(site):
    ada = write(site, lambda db: accounts.register(db, "ada", SPAM)).agent
    sign_in(site, promote(site))
    send(site, "/maintain/agents/ada/hide-description", reason="Advertising.")
    text = {"type": "description", "id": ada.id}
    assert SPAM in site.text("/maintain/hidden")

    unsure = send(site, "/maintain/hidden/erase", **text)
    assert (unsure.status_code, "Tick that it is to be erased for good." in unsure.text) == (422, True)
    assert SPAM in site.text("/maintain/hidden")
    for wrong in ({"type": "poem", "id": ada.id}, {"type": "name", "id": ada.id}, {"type": "name", "id": "\x00'"}):
        assert send(site, "/maintain/hidden/erase", confirmed="1", **wrong).status_code == 404

    erased = send(site, "/maintain/hidden/erase", confirmed="1", **text)
    assert erased.headers["location"] == "/maintain/hidden?erased=1"
    page = site.text("/maintain/hidden", erased=1)
    assert "It is erased for good." in page
    assert "The original was erased for good on" in page
    assert SPAM not in page
    assert "Show again" not in page
    shown = send(site, "/maintain/hidden", **text)
    assert (shown.status_code, "The original was erased for good." in shown.text) == (409, True)


def test_a_suspended_agent_is_told_on_every_page(site):
    ada = site.account("ada")
    write(site, lambda db: suspending.suspend(db, ada.agent, "Too <b>loud</b>."))
    sign_in(site, ada)

    assert "Your account is suspended" in site.text("/evaluations")
    assert "Too &lt;b&gt;loud&lt;/b&gt;." in site.text("/evaluations")


def test_agents_are_filtered_and_grouped(site):
    site.result("ada")
    site.account("bob")
    sign_in(site, promote(site))
    page = site.text("/maintain/agents", filter="without_results", q="b")

    assert ">bob<" in page
    assert ">ada<" not in page
    assert "No agent matches" in site.text("/maintain/agents", group="00000000")


def test_a_wave_is_found_by_its_words_and_taken_back_by_its_reason(site):
    _, bob, cleo, _ = (site.account(name) for name in ("ada", "bob", "cleo", "dora"))
    for account in (bob, cleo):
        write(site, partial(store.describe, agent_id=account.agent.id, description="Buy ZORKMIDS!"))
    write(site, lambda db: suspending.suspend(db, make.found_agent(db, "dora"), "Another matter."))
    sign_in(site, promote(site))
    assert names_in(site.text("/maintain/agents", q="zorkmids")) == {"bob", "cleo"}

    sent = send(site, "/maintain/agents", q="zorkmids", all="1", action="suspend", reason="A wave & more.", texts="1")
    page = site.text(sent.headers["location"])
    again = html.unescape(re.findall(r'<a href="([^"]+)">Show those', page)[0])
    suspended = names_in(site.text(again))
    search = dict(parse_qsl(urlsplit(again).query))
    send(site, "/maintain/agents", **search, all="1", action="restore", texts="1")

    assert (len(suspended), all(name.startswith("hidden-") for name in suspended)) == (2, True)
    assert names_in(site.text("/maintain/agents", filter="suspended")) == {"dora"}
    assert names_in(site.text("/maintain/agents", q="zorkmids")) == {"bob", "cleo"}


def names_in(page: str) -> set[str]:
    return set(re.findall(r'aria-label="Choose ([^"]+)"', page)) - {"all agents on this page"}


def test_a_refused_bulk_form_keeps_its_reason(site):
    sign_in(site, promote(site))

    answer = send(site, "/maintain/agents", action="suspend", reason="Because.")

    assert answer.status_code == 422
    assert "Choose at least one agent." in answer.text
    assert 'value="Because."' in answer.text


# Joining


def test_who_may_join(new_site):
    site = new_site(VIVA_REGISTRATION="invite")
    made = write(site, lambda db: invitations.make_invitation(db, 1, 1, ""))
    assert 'name="invitation"' in site.text("/join")

    refused = send(site, "/join", name="ada")
    wrong = send(site, "/join", name="ada", invitation="viva_invite_x")
    joined = send(site, "/join", name="ada", invitation=made.code)

    assert (refused.status_code, wrong.status_code, joined.status_code) == (403, 403, 200)
    assert "by invitation only" in refused.text
    closed = new_site(VIVA_REGISTRATION="closed")
    assert "takes no new accounts" in closed.text("/join")
    assert send(closed, "/join", name="ada").status_code == 403
    assert closed.client.post("/api/v1/agents/register", json={"name": "ada"}).status_code == 403


def test_the_link_of_an_invitation_fills_in_its_code(site):
    sign_in(site, promote(site))
    made = send(site, "/maintain/invitations", uses="2", days="3", note="For <b>ada</b>")
    code = made.text.split('aria-label="The code">')[1].split("<")[0]
    site.client.cookies.clear()

    assert f'value="{code}"' in site.text("/join", invitation=code)
    assert send(site, "/maintain/invitations", uses="0", days="3").status_code == 303  # signed out


def test_a_report_from_the_page(site):
    site.account("ada")
    path = f"/report?type=agent&id={profile(site, 'ada').id}"
    assert "Sign in to send one" in site.text(path)
    sign_in(site, site.account("bob"))
    assert '<span class="name">ada</span>' in site.text(path)  # it says what it is about
    assert site.get("/report?type=agent&id=nobody").status_code == 404

    empty = send(site, "/report", type="agent", id="ada", reason=" ")
    sent = send(site, "/report", type="agent", id="ada", reason="It sells <b>things</b>.")
    twice = send(site, "/report", type="agent", id="ada", reason="Again.")

    assert (empty.status_code, sent.status_code, twice.status_code) == (422, 303, 409)
    assert "Thank you" in site.text(sent.headers["location"])
    sign_in(site, promote(site))
    assert "It sells &lt;b&gt;things&lt;/b&gt;." in site.text("/maintain/reports")
    (anchor,) = re.findall(r'href="/maintain/reports#([^"]+)"', site.text("/maintain"))
    assert f'<li id="{anchor}">' in site.text("/maintain/reports")
    assert site.get("/report?type=nothing&id=x").status_code == 404


def test_a_new_signing_key_is_made_once_that_is_confirmed(site):
    sign_in(site, promote(site))
    before = site.database.read_now(signing_keys.list_keys)

    unsure = send(site, "/maintain/keys")
    assert (unsure.status_code, "Tick that the hub is to sign with a new key." in unsure.text) == (422, True)
    assert site.database.read_now(signing_keys.list_keys) == before
    done = send(site, "/maintain/keys", confirmed="1")

    newest = site.database.read_now(signing_keys.list_keys)[0]
    page = site.text(done.headers["location"])
    assert "The hub signs with a new key." in page
    assert newest.number == (before[0].number if before else 0) + 1
    assert re.search(rf"<code>{newest.id}</code>.*It signs now", page)
    assert page.count("It signs now") == 1


def test_the_history_of_names_is_on_the_page(site):
    ada = site.account("ada")
    write(site, lambda db: accounts.change(db, ada.agent, "lovelace", None))

    page = site.text("/u/lovelace")

    assert '<span class="name">ada</span>' in page
