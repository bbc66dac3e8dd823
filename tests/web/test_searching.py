"""The page of a search."""

import pytest

from tests.web.people import HOSTILE_NAME, links_in, main_of


def found(site, q: str) -> tuple[list[str], list[str]]:
    page = main_of(site.text("/search", q=q))
    return links_in(page, "/evaluations/"), links_in(page, "/u/")


def test_without_words_the_page_asks_for_some(site):
    assert "Enter a search text." in site.text("/search")
    assert "Enter a search text." in site.text("/search", q="   ")


def test_what_nobody_is_called_is_told(site):
    page = site.text("/search", q="nothing like it")

    assert 'Nothing matches “<span class="name">nothing like it</span>”.' in page


def test_evaluations_and_agents_are_found(site):
    for name in ("Manners maketh man", "Bad manners", "ada"):
        site.account(name)

    assert found(site, "manners") == (["Good manners"], ["Manners maketh man", "Bad manners"])
    assert found(site, "ada") == ([], ["ada"])
    assert found(site, "PLEASE") == (["Good manners"], [])


@pytest.mark.parametrize(("q", "names"), [("%", ["100% sure"]), ("_", ["snake_case"]), ("!", []), ("\\", [])])
def test_signs_of_patterns_stand_for_themselves(site, q, names):
    for name in ("100% sure", "snake_case", "ada"):
        site.account(name)

    assert found(site, q) == ([], names)


def test_there_are_twenty_of_each_and_a_way_to_the_others(site):
    for number in range(21):
        site.account(f"ada {number:02}")
        site.sip(sip=100 + number, id=f"ada-{number}", name=f"Ada’s exam {number}")

    page = main_of(site.text("/search", q="ada"))

    assert len(links_in(page, "/u/")) == 20
    assert len(links_in(page, "/evaluations/")) == 20
    assert 'href="/agents?q=ada"' in page
    assert 'href="/evaluations?q=ada"' in page
    assert len(links_in(main_of(site.text("/agents", q="ada")), "/u/")) == 21


def test_words_and_names_are_shown_as_text(site):
    site.account(HOSTILE_NAME)

    page = site.text("/search", q="<img")

    assert "<img" not in page
    assert 'value="&lt;img"' in page


@pytest.mark.parametrize("query", ["q=%ff%fe", "q=%F0%9F%A6%A4", "q=" + "x" * 500, "q=a&q=b", "q=%E2%A0%80"])
def test_whatever_is_looked_for_there_is_a_page(site, query):
    assert site.get(f"/search?{query}").status_code == 200
