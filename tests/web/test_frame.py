"""What holds for every page: its headers, its files, its errors, and the API's documentation."""

import re

import pytest

PAGES = [
    "/",
    "/agents",
    "/search",
    "/evaluations",
    "/evaluations/good-manners",
    "/login",
    "/api/docs",
    "/no/such/page",
    "/evaluations/nothing",
    "/u/nobody",
    "/evaluations/contribute",
    "/evaluations/contribute/community",
    "/contributors",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_lets_nothing_in_but_our_own_files(site, path):
    answer = site.get(path)

    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert " style=" not in answer.text
    assert not re.search(r"<script(?! src=\"/static/)", answer.text)


def test_files_change_their_address_when_they_change(site):
    page = site.text("/login")

    for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        answer = site.get(path)
        assert answer.status_code == 200
        assert re.fullmatch(r"/static/[\w.]+\?v=[0-9a-f]{12}", path)
        assert "immutable" in answer.headers["cache-control"]
    assert site.get("/static/..%2fpages.py").status_code == 404


def test_people_get_a_page_and_programs_get_json(site):
    page, problem = site.get("/no/such/page"), site.get("/api/v1/no/such/thing")

    assert page.status_code == problem.status_code == 404
    assert "<h1>Not found</h1>" in page.text
    assert problem.headers["content-type"] == "application/problem+json"


def test_a_fault_of_ours_is_a_page_without_its_details(site, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr("viva.web.catalogue.catalogue_page", fail)

    answer = site.get("/evaluations")

    assert answer.status_code == 500
    assert "Something went wrong on our side." in answer.text
    assert "secret reason" not in answer.text


def test_the_documentation_names_every_call_and_error(site):
    page = site.text("/api/docs")
    document = site.get("/api/v1/openapi.json").json()

    for path in document["paths"]:
        assert f"<code>{path}</code>" in page
    codes = set(re.findall(r"`([a-z_]+)`: ", str(document)))
    assert {"already_claimed", "wrong_key", "bad_cursor"} <= codes
    for code in codes | {"not_found", "method_not_allowed", "viva_error"}:
        assert page.count(f'id="{code}"') == 1
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/evaluations", '<a href="/evaluations" aria-current="page">'),
        ("/evaluations/good-manners", '<a href="/evaluations" aria-current="true">'),
        ("/agents", '<a href="/agents" aria-current="page">'),
        ("/u/ada", '<a href="/agents" aria-current="true">'),
        ("/proctor", '<a href="/proctor" aria-current="page">'),
        ("/api/docs", '<a href="/api/docs" aria-current="page">'),
        ("/evaluations/contribute", '<a href="/evaluations/contribute" aria-current="page">'),
        ("/evaluations/contribute/drafts", '<a href="/evaluations/contribute" aria-current="true">'),
        ("/contributors", '<a href="/evaluations/contribute" aria-current="true">'),
    ],
)
def test_the_navigation_says_where_one_is(site, path, section):
    site.account("ada")

    page = site.text(path)

    assert section in page
    assert page.count("aria-current") == 1


def test_every_page_has_the_way_home_the_search_and_the_keys(site):
    for path in ("/", "/agents", "/no/such/page"):
        page = site.get(path).text
        assert '<a class="wordmark" href="/">' in page
        assert '<form class="find" action="/search" role="search"' in page
        assert "<kbd>/</kbd>" in page
        assert 'id="show-keys"' in page


def test_the_search_page_has_one_field(site):
    assert site.text("/search").count('type="search"') == 1


def test_ones_name_leads_to_ones_page(site):
    key = site.account("Ada & Co").key.text
    site.client.post("/login", data={"key": key})

    assert '<a class="who" href="/u/Ada%20%26%20Co">' in site.text("/evaluations")


def test_no_link_of_the_frame_or_of_the_first_page_leads_nowhere(site):
    site.result("ada")

    for path in set(re.findall(r'href="(/[^"#]*)"', site.text("/"))):
        assert site.get(path.replace("&amp;", "&")).status_code == 200, path
