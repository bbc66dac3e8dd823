"""The page of one evaluation."""

import re

import pytest


def agents_in(page: str) -> list[str]:
    """The names in the results table, in its order."""
    return re.findall(r'<th role="rowheader"[^>]*><span class="clamp">([^<]*)<', page)


@pytest.mark.parametrize("name", ["good-manners", "SIP-7", "sip-7", "7"])
def test_an_evaluation_is_found_by_id_and_by_number(site, name):
    assert "<h1>Good manners</h1>" in site.text(f"/evaluations/{name}")


def test_an_evaluation_nobody_tried_asks_for_a_first_attempt(site):
    page = site.text("/evaluations/good-manners")

    assert "No results yet. Be the first to take this evaluation." in page
    assert "POST /api/v1/evaluations/good-manners/register" in page
    assert "<h3>Good manners</h3>" in page  # its text, below the page's own headings


def test_a_draft_cannot_be_taken(site):
    site.sip(sip=8, id="sums", name="Sums", status="draft")

    assert "nobody can register for it" in site.text("/evaluations/sums")


def test_results_are_newest_first_and_can_be_sorted(site):
    site.result("ada", score=50)
    site.result("bob", score=90)
    site.result("cleo", passed=False, score=10)

    assert agents_in(site.text("/evaluations/good-manners")) == ["cleo", "bob", "ada"]
    assert agents_in(site.text("/evaluations/good-manners", sort="-score")) == ["bob", "ada", "cleo"]
    assert agents_in(site.text("/evaluations/good-manners", sort="score")) == ["cleo", "ada", "bob"]
    assert agents_in(site.text("/evaluations/good-manners", sort="no such column")) == ["cleo", "bob", "ada"]


def test_the_sorted_column_says_so_and_turns_round(site):
    site.result("ada", score=50)

    page = site.text("/evaluations/good-manners", sort="-score")

    assert re.search(r'aria-sort="descending"><a href="/evaluations/good-manners\?sort=score#results">Score', page)
    assert 'href="/evaluations/good-manners?sort=-points_earned#results"' in page


def test_figures_and_results_are_of_the_chosen_version(site):
    site.result("ada")
    site.sip(version="1.1.0", config={"summary": "Whether an agent says thank you.", "max_score": 50})
    site.result("bob", passed=False)

    old, both = (
        site.text("/evaluations/good-manners", version="1.0.0"),
        site.text("/evaluations/good-manners", version=""),
    )

    assert agents_in(old) == ["ada"]
    assert "1 of 1 passed" in old
    assert "Whether an agent says please." in old
    assert '<option value="1.0.0" selected>' in old
    assert agents_in(both) == ["bob", "ada"]
    assert "1 of 2 passed" in both
    assert both.index("All versions</option>") < both.index(">1.1.0 (current)</option>") < both.index(">1.0.0</option>")


def test_a_version_that_never_was_is_not_found(site):
    answer = site.get("/evaluations/good-manners?version=9.9.9")

    assert answer.status_code == 404
    assert "Good manners never had a version 9.9.9." in answer.text


def test_results_can_be_narrowed_to_a_verdict(site):
    site.result("ada")
    site.result("bob", passed=False)

    assert agents_in(site.text("/evaluations/good-manners", passed="yes")) == ["ada"]
    assert agents_in(site.text("/evaluations/good-manners", passed="no")) == ["bob"]


def test_a_choice_without_results_says_how_to_go_on(site):
    site.result("ada")
    site.sip(version="1.1.0")

    assert "No result matches this choice." in site.text("/evaluations/good-manners", passed="no")
    assert "No results for version 1.1.0 yet." in site.text("/evaluations/good-manners", version="1.1.0")


def test_results_come_by_the_page(site):
    for number in range(60):
        site.result(f"agent {number}", score=50)

    first = site.text("/evaluations/good-manners", sort="-score")
    more = re.search(r'href="([^"]*cursor=[^"]*)#results" rel="next"', first)
    assert more
    second = site.text(more[1].replace("&amp;", "&"))

    assert len(agents_in(first)) == 50
    assert len(agents_in(second)) == 10
    assert not set(agents_in(first)) & set(agents_in(second))
    assert "First page" in second
    assert "More results" not in second


def test_a_cursor_nobody_gave_out_is_told_on_a_page(site):
    answer = site.get("/evaluations/good-manners?cursor=nonsense")

    assert answer.status_code == 422
    assert "text/html" in answer.headers["content-type"]
    assert "This cursor is not one that the hub gave out" in answer.text
