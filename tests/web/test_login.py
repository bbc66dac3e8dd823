"""Signing in with a key, and who may send our forms."""

import pytest

from viva.agents import logins
from viva.agents import store as agents

FORM = "application/x-www-form-urlencoded"
OTHER_SITE = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
]


def sign_in(site, key: str, **headers: str):
    return site.client.post("/login", data={"key": key}, headers=headers, follow_redirects=False)


def test_a_key_signs_in_and_the_page_says_who(site):
    key = site.account("ada").key

    answer = sign_in(site, f"  {key.text}\n", **{"sec-fetch-site": "same-origin"})

    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=2592000" in cookie
    assert "secure" not in cookie
    assert key.text not in answer.headers["set-cookie"]
    assert '<span class="hidden">Signed in as </span>ada<' in site.text("/evaluations")
    assert "You are signed in" in site.text("/login")


def test_over_https_the_cookie_stays_there(new_site):
    site = new_site(VIVA_BASE_URL="https://viva.example")

    answer = sign_in(site, site.account("ada").key.text, origin="https://viva.example")

    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-viva_login=")
    assert "; secure" in cookie.lower()
    assert "; path=/" in cookie.lower()
    assert "domain" not in cookie.lower()
    assert "Signed in as" in site.text("/evaluations")


def test_over_https_a_cookie_of_the_plain_name_is_nobody(new_site):
    site = new_site(VIVA_BASE_URL="https://viva.example")
    key = site.account("ada").key
    token = site.database.write_now(lambda db: logins.add(db, key.hash))

    site.client.cookies.set("viva_login", token)  # as another host of the same domain could set it

    assert "Signed in as" not in site.text("/evaluations")


def test_a_wrong_key_is_told(site):
    answer = sign_in(site, "viva_nobody")

    assert answer.status_code == 401
    assert "No agent of this hub has this key." in answer.text
    assert "set-cookie" not in answer.headers


def test_signing_out_ends_the_login(site):
    sign_in(site, site.account("ada").key.text)

    answer = site.client.post("/logout", follow_redirects=False)

    assert "viva_login=" in answer.headers["set-cookie"]
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert "Signed in as" not in site.text("/evaluations")


def test_a_cookie_that_somebody_copied_opens_nothing_after_signing_out(site):
    copied = sign_in(site, site.account("ada").key.text).cookies["viva_login"]

    site.client.post("/logout")
    site.client.cookies.set("viva_login", copied)

    assert "Signed in as" not in site.text("/evaluations")


def test_signing_out_in_one_browser_leaves_the_others_signed_in(site):
    key = site.account("ada").key.text
    other = sign_in(site, key).cookies["viva_login"]
    site.client.cookies.clear()
    sign_in(site, key)

    site.client.post("/logout")
    site.client.cookies.set("viva_login", other)

    assert "Signed in as" in site.text("/evaluations")


def test_signing_out_everywhere_ends_the_logins_of_all_browsers(site):
    key = site.account("ada").key.text
    other = sign_in(site, key).cookies["viva_login"]
    site.client.cookies.clear()
    sign_in(site, key)
    assert 'name="everywhere"' in site.text("/login")

    site.client.post("/logout", data={"everywhere": "yes"})
    site.client.cookies.set("viva_login", other)

    assert "Signed in as" not in site.text("/evaluations")
    assert site.get("/api/v1/agents/me", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_signing_in_again_ends_the_login_that_this_browser_had(site):
    key = site.account("ada").key.text
    first = sign_in(site, key).cookies["viva_login"]

    second = sign_in(site, key).cookies["viva_login"]
    site.client.cookies.clear()
    site.client.cookies.set("viva_login", first)

    assert first != second
    assert "Signed in as" not in site.text("/evaluations")


def test_a_wrong_key_leaves_this_browsers_login_as_it_was(site):
    sign_in(site, site.account("ada").key.text)

    sign_in(site, "viva_nobody")

    assert "Signed in as" in site.text("/evaluations")


def test_no_browser_keeps_what_a_signed_in_person_sees(site):
    before = site.get("/evaluations").headers["cache-control"]
    sign_in(site, site.account("ada").key.text)

    seen = [site.get(path) for path in ("/evaluations", "/proctor", "/nowhere")]

    assert before == "private, no-cache"
    assert [answer.headers["cache-control"] for answer in seen] == ["no-store"] * 3


def test_revoking_the_key_ends_the_login(site):
    ada = site.account("ada")
    sign_in(site, ada.key.text)

    site.database.write_now(lambda db: agents.drop_keys(db, ada.agent.id))

    assert "Signed in as" not in site.text("/evaluations")


@pytest.mark.parametrize(
    "form", ["{key.hash}", "{key.text}", "{login.hash}", "{hash43}", "x" * 43, "x" * 4_000, "ü" * 43]
)
def test_a_cookie_we_did_not_give_is_nobody(site, form):
    key = site.account("ada").key
    token = site.database.write_now(lambda db: logins.add(db, key.hash))
    login_hash = logins.hash_of(token)
    value = {"{key.hash}": key.hash, "{key.text}": key.text, "{login.hash}": login_hash, "{hash43}": login_hash[:43]}
    cookie = value.get(form, form).encode()

    answer = site.client.get("/evaluations", headers={b"cookie": b"viva_login=" + cookie})

    assert answer.status_code == 200
    assert "Signed in as" not in answer.text


@pytest.mark.parametrize("headers", OTHER_SITE)
@pytest.mark.parametrize("path", ["/login", "/logout"])
def test_a_form_from_another_site_is_refused(site, path, headers):
    key = site.account("ada").key.text

    answer = site.client.post(path, data={"key": key}, headers=headers, follow_redirects=False)

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert "This form was sent from another site" in answer.text


def test_a_form_from_our_own_address_is_taken(site):
    key = site.account("ada").key.text

    assert sign_in(site, key, origin=str(site.client.base_url)).status_code == 303


def test_guessing_is_limited(new_site):
    site = new_site(VIVA_RATE_LIMIT="20")

    answers = [sign_in(site, "viva_nobody") for _ in range(110)]

    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0
    assert "text/html" in answers[-1].headers["content-type"]


def test_a_form_that_is_larger_than_any_key_is_not_read(site):
    answer = site.client.post("/login", content=b"a&" * 100_000, headers={"content-type": FORM})

    assert answer.status_code == 413


@pytest.mark.parametrize("media_type", [FORM, "multipart/form-data", "multipart/form-data; boundary=b", "text/plain"])
def test_what_is_no_form_holds_no_key(site, media_type):
    answer = site.client.post("/login", content=b"--b\xff", headers={"content-type": media_type})

    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("given", "leads_to"),
    [
        ("/proctor", "/proctor"),
        ("/sessions/eval_sess_1?before=3", "/sessions/eval_sess_1?before=3"),
        ("", "/evaluations"),
        ("proctor", "/evaluations"),
        ("//evil.example", "/evaluations"),
        ("/\\evil.example", "/evaluations"),
        ("/\t/evil.example", "/evaluations"),
        ("https://evil.example", "/evaluations"),
        ("javascript:alert(1)", "/evaluations"),
        ("/" + "x" * 300, "/evaluations"),
    ],
)
def test_signing_in_leads_back_to_a_page_of_ours_only(site, given, leads_to):
    key = site.account("ada").key.text
    page = site.client.get("/login", params={"next": given}).text

    answer = site.client.post("/login", data={"key": key, "next": given}, follow_redirects=False)

    assert f'name="next" value="{leads_to}"' in page
    assert answer.headers["location"] == leads_to


def test_a_wrong_key_does_not_forget_where_it_leads(site):
    answer = site.client.post("/login", data={"key": "viva_nobody", "next": "/proctor"}, follow_redirects=False)

    assert 'name="next" value="/proctor"' in answer.text
