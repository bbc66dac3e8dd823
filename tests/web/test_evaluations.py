"""The page of one evaluation: what it tests for, who is best, every result."""

import re
from typing import Any

import pytest

from tests import make
from tests.values import require
from viva.agents import accounts, matching
from viva.agents import store as agents
from viva.agents.model import Agent, name_key
from viva.results import listing
from viva.results.sort_orders import SORT_ORDERS


def part(page: str, name: str) -> str:
    """One part of the page, which loads by itself."""
    found = re.search(rf'<section[^>]* data-part="{name}".*?</section>', page, re.DOTALL)
    assert found, name
    return found[0]


def agents_in(page: str, name: str = "results") -> list[str]:
    """The names in the table of a part, in its order."""
    return re.findall(r'<th role="rowheader"[^>]*><a class="clamp"[^>]*>([^<]*)<', part(page, name))


def link(page: str, pattern: str) -> str:
    """The address of the link that the pattern finds."""
    found = re.search(rf'href="([^"#]*)[^"]*"{pattern}', page)
    assert found, pattern
    return found[1].replace("&amp;", "&")


def taken(site: Any, name: str, times: int = 1, proctor: str = "paul", **verdict: Any) -> None:
    """Results of one agent, who may have others."""

    def unit(db: Any) -> None:
        candidate, examiner = (who(db, each) for each in (name, proctor))
        for _ in range(times):
            make.result(db, candidate, examiner, **verdict)

    site.database.write_now(unit)


def who(db: Any, name: str) -> Agent:
    return agents.find_by_name(db, name_key(name)) or make.agent(db, name)


@pytest.mark.parametrize("name", ["good-manners", "SIP-7", "sip-7", "7"])
def test_an_evaluation_is_found_by_id_and_by_number(site, name):
    assert "<h1>Good manners</h1>" in site.text(f"/evaluations/{name}")


def test_an_evaluation_nobody_tried_asks_for_a_first_attempt(site):
    page = site.text("/evaluations/good-manners")

    assert "No results yet. Be the first to take this evaluation." in page
    assert "Findings appear here after the first attempt." in page
    assert re.search(r"<dt>Pass rate</dt>\s*<dd>–</dd>", page)
    assert "Download" not in page
    assert "POST /api/v1/evaluations/good-manners/register" in page
    assert "<h3>Good manners</h3>" in page  # its text, below the page's own headings


def test_what_is_retired_cannot_be_taken(site):
    site.sip(sip=8, id="sums", name="Sums", status="retired")

    assert "nobody can register for it" in site.text("/evaluations/sums")


def test_what_it_tests_for_and_the_headline_come_first(site):
    site.result("ada", score=90)
    site.result("bob", passed=False, score=40)

    page = site.text("/evaluations/good-manners")

    head = page[: page.index('id="leaderboard"')]
    assert "What it tests for" in head
    assert "Whether an agent says please." in head
    assert '1 of 2 passed; <span class="unbroken">95% interval 9% to 91%' in head
    assert re.search(r"<dt>Best agent</dt>\s*<dd class=\"name\"><a class=\"clamp\" href=\"/u/ada\">ada</a>", head)


def test_results_are_newest_first_and_can_be_sorted_by_each_column(site):
    site.result("ada", score=50)
    site.sip(version="1.1.0")
    site.result("bob", score=90, proctor="abe")
    site.result("cleo", passed=False, score=10)

    def order(sort: str) -> list[str]:
        return agents_in(site.text("/evaluations/good-manners", sort=sort, version="all"))

    assert order("") == ["cleo", "bob", "ada"]
    assert order("-score") == ["bob", "ada", "cleo"]
    assert order("score") == ["cleo", "ada", "bob"]
    assert order("passed")[0] == "cleo"
    assert order("points_earned")[0] == "cleo"
    assert order("evaluation_version")[0] == "ada"
    assert order("no such column") == order("agent") == order("-proctor") == ["cleo", "bob", "ada"]
    assert set(SORT_ORDERS) == set(
        re.findall(r'id="sort-(\w+)"', site.text("/evaluations/good-manners", version="all"))
    )


def test_the_sorted_column_says_so_and_turns_round(site):
    site.result("ada", score=50)

    page = site.text("/evaluations/good-manners", sort="-score")

    assert re.search(
        r'aria-sort="descending"><a id="sort-score" href="/evaluations/good-manners\?sort=score#results">Score', page
    )
    assert 'href="/evaluations/good-manners?sort=-points_earned#results"' in page


def test_everything_below_is_of_the_chosen_version(site):
    site.result("ada", score=80)
    site.sip(version="1.1.0", config={"summary": "Whether an agent says thank you.", "max_score": 50})
    site.result("bob", passed=False)

    old, both = (
        site.text("/evaluations/good-manners", version="1.0.0"),
        site.text("/evaluations/good-manners", version="all"),
    )
    current = site.text("/evaluations/good-manners", version="")

    assert agents_in(old) == agents_in(old, "leaderboard") == ["ada"]
    assert "1 of 1 passed" in old
    assert "Whether an agent says please." in old
    assert '<option value="1.0.0" selected>' in old
    assert "The current version is 1.1.0" in old
    assert "/results/export?format=csv&amp;version=1.0.0" in old
    assert agents_in(both) == ["bob", "ada"]
    assert agents_in(both, "leaderboard") == ["ada", "bob"]
    assert "1 of 2 passed" in both
    assert "The results below come from 2 versions." in both
    assert (
        both.index(">1.1.0 (current)</option>") < both.index(">1.0.0</option>") < both.index(">All versions together<")
    )
    assert agents_in(current) == agents_in(current, "leaderboard") == ["bob"]
    assert 'data-label="Version"' not in current
    for name in ("leaderboard", "results"):
        assert re.findall(r'data-label="Version">([\d.]+)<', part(both, name)) in (
            ["1.0.0", "1.1.0"],
            ["1.1.0", "1.0.0"],
        )


def test_a_version_that_only_old_results_know_has_the_text_of_today(site):
    site.result("ada")
    site.database.write_now(lambda db: db.execute("DELETE FROM evaluation_versions"))
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_definitions SET version = '2.0.0'"))

    page = site.text("/evaluations/good-manners", version="1.0.0")

    assert agents_in(page) == ["ada"]
    assert "Whether an agent says please." in page


def test_a_version_that_never_was_is_not_found(site):
    answer = site.get("/evaluations/good-manners?version=9.9.9")

    assert answer.status_code == 404
    assert "Good manners has no version 9.9.9." in answer.text


def test_the_leaderboard_has_each_agents_best_and_equals_share_a_rank(site):
    taken(site, "ada", times=2, score=90)
    taken(site, "bob", score=90)
    taken(site, "cleo", score=20)

    board = part(site.text("/evaluations/good-manners"), "leaderboard")

    assert agents_in(board, "leaderboard") == ["bob", "ada", "cleo"]  # the newer of equals first
    assert re.findall(r'class="rank">(\d+)<', board) == ["1", "1", "3"]
    assert re.findall(r'data-label="Attempts" class="number">(\d+)<', board) == ["1", "2", "1"]
    assert len(re.findall(r'href="/evaluations/result/eval_res_[^"]*" data-session', board)) == 3
    assert "have the same rank; the newer result comes first" in board
    assert "Show all" not in board


def test_beside_the_best_agent_stands_how_many_are_as_good(site):
    site.result("ada", score=90)
    alone = site.text("/evaluations/good-manners")
    site.result("bob", score=90)
    two = site.text("/evaluations/good-manners")
    site.result("cleo", score=90)
    three = site.text("/evaluations/good-manners?board=all")

    assert "as good" not in alone
    assert '<a href="#leaderboard">1 other agent has the same rank</a>' in two
    assert '<a href="#leaderboard">2 other agents have the same rank</a>' in three


def test_the_leaderboard_shows_ten_and_all_by_the_page(site):
    for number in range(62):
        site.result(f"agent {number}", score=90 - number)

    short = site.text("/evaluations/good-manners")
    whole = site.text(link(short, ">Show all 62 agents"))
    rest = site.text(link(part(whole, "leaderboard"), ' rel="next"'))

    assert len(agents_in(short, "leaderboard")) == 10
    assert len(agents_in(whole, "leaderboard")) == 50
    assert agents_in(rest, "leaderboard") == [f"agent {number}" for number in range(50, 62)]
    assert 'class="rank">51<' in rest
    assert (
        'href="/u/agent%200">agent 0</a>' in rest[: rest.index('id="leaderboard"')]
    )  # the best one stays in the headline


def test_results_can_be_narrowed_to_a_verdict(site):
    site.result("ada")
    site.result("bob", passed=False)

    assert agents_in(site.text("/evaluations/good-manners", passed="yes")) == ["ada"]
    assert agents_in(site.text("/evaluations/good-manners", passed="no")) == ["bob"]


def test_results_can_be_narrowed_to_an_agent_a_proctor_and_words(site):
    site.result("ada", feedback="Kind to the last.")
    site.result("bob", proctor="pia")

    def found(**query: str) -> list[str]:
        return agents_in(site.text("/evaluations/good-manners", **query))

    assert found(agent="Ada") == found(agent="D") == ["ada"]
    assert found(proctor="pia for bob") == found(proctor="IA F") == ["bob"]
    assert found(agent="_") == found(agent="%") == []
    assert found(q="the LAST") == ["ada"]
    assert found(q="pia") == ["bob"]
    assert found(agent="ada", passed="no") == []


def test_what_is_sought_stays_while_results_are_sorted_and_versions_are_chosen(site):
    site.result("ada", score=5)

    page = site.text("/evaluations/good-manners", q="ad", passed="yes", sort="score")

    assert 'href="/evaluations/good-manners?sort=-score&amp;passed=yes&amp;q=ad#results"' in page
    assert page.count('<input type="hidden" name="sort" value="score">') == 2  # of the filters and of the version
    assert '<input type="hidden" name="q" value="ad">' in page


@pytest.mark.parametrize("column", ["agent", "proctor"])
def test_a_name_that_nobody_has_is_told(site, column):
    site.result("ada")

    page = site.text("/evaluations/good-manners", **{column: "<b>nobody"})

    assert "No agent’s name contains “&lt;b&gt;nobody”." in page
    assert agents_in(page) == []
    assert agents_in(page, "leaderboard") == ["ada"]


def test_the_fields_for_names_suggest_those_that_match_or_are_shown(site):
    site.result("ada <b>", proctor="pia")
    site.result("adam")
    site.result("bob", proctor="pia")
    site.database.write_now(lambda db: accounts.delete(db, require(agents.find_by_name(db, "bob"))))

    def suggested(column: str, **query: str) -> list[str]:
        page = site.text("/evaluations/good-manners", **query)
        (listed,) = re.findall(rf'<datalist id="{column}-names">(.*?)</datalist>', page)
        return re.findall(r'<option value="([^"]*)">', listed)

    assert set(suggested("agent")) == {"ada &lt;b&gt;", "adam"}
    assert suggested("agent", agent="AM") == ["adam", "paul for adam"]
    assert suggested("agent", agent="ada ", passed="no")[0] == "ada &lt;b&gt;"
    assert set(suggested("proctor")) == {"pia for ada &lt;b&gt;", "paul for adam", "pia for bob"}


def test_a_page_says_that_more_agents_have_such_a_name(site, monkeypatch):
    monkeypatch.setattr(matching, "MAX_MATCHING_AGENTS", 2)
    for name in ("ada 1", "ada 2", "ada 3", "bob"):
        site.result(name)

    many, few = (site.text("/evaluations/good-manners", agent=name) for name in ("ada", "bob"))

    assert len(agents_in(many)) == 2
    assert "Too many agents match this name." in many
    assert "could be looked up" not in few


def test_a_choice_without_results_says_how_to_go_on(site):
    site.result("ada")
    site.sip(version="1.1.0")

    now = site.text("/evaluations/good-manners")

    assert "No result matches these filters." in site.text("/evaluations/good-manners", passed="no", version="1.0.0")
    assert "No results for version 1.1.0 yet." in part(now, "results")
    assert 'href="/evaluations/good-manners?version=1.0.0#leaderboard">Version 1.0.0 has 1 result<' in part(
        now, "leaderboard"
    )


def test_a_search_that_was_cut_can_go_on(site, monkeypatch):
    monkeypatch.setattr(listing, "WINDOW_RESULTS", 3)
    site.result("ada", feedback="Kind.")
    for name in ("bob", "cleo", "dora"):
        site.result(name)

    first = site.text("/evaluations/good-manners", q="kind")
    second = site.text(link(part(first, "results"), ' rel="next">Search more'))

    assert agents_in(first) == []
    assert "None of the 5,000 searched results matches." in first
    assert agents_in(second) == ["ada"]


def test_results_come_by_the_page(site):
    for number in range(60):
        site.result(f"agent {number}", score=50)

    first = site.text("/evaluations/good-manners", sort="-score")
    second = site.text(link(part(first, "results"), ' rel="next"'))

    assert len(agents_in(first)) == 50
    assert len(agents_in(second)) == 10
    assert not set(agents_in(first)) & set(agents_in(second))
    assert "First page" in second
    assert "More results" not in second


@pytest.mark.parametrize("name", ["cursor", "matrix_cursor", "board=all&board_cursor"])
def test_a_cursor_nobody_gave_out_is_told_on_a_page(site, name):
    site.result("ada")

    answer = site.get(f"/evaluations/good-manners?{name}=nonsense")

    assert answer.status_code == 422
    assert "text/html" in answer.headers["content-type"]
    assert "This cursor is not one that the hub gave out" in answer.text


@pytest.mark.parametrize("name", ["version", "agent", "proctor", "q", "sort", "passed", "board"])
def test_whatever_stands_in_the_address_a_page_is_shown(site, name):
    site.result("ada")

    for value in ("%00", "%F0%9F%A6%89", "'%22><script>", "%25_!", "x" * 5000):
        answer = site.get(f"/evaluations/good-manners?{name}={value}")
        assert answer.status_code in (200, 404)
        assert "><script>" not in answer.text


def test_names_lead_to_their_pages_and_results_to_their_sessions(site):
    result = site.result("ada & bob", score=5)

    page = site.text("/evaluations/good-manners")

    assert 'href="/u/ada%20%26%20bob">ada &amp; bob</a>' in part(page, "results")
    assert f'href="/evaluations/result/{result.id}?version=1.0.0" data-session>View session' in part(page, "results")


def test_results_are_downloaded_in_three_forms(site):
    site.result("ada")
    site.result("bob")

    page = site.text("/evaluations/good-manners")

    assert "Download all 2 results" in page
    for form in ("csv", "jsonl", "parquet"):
        assert (
            f'href="/api/v1/evaluations/good-manners/results/export?format={form}&amp;version=1.0.0" download' in page
        )


def test_a_visitor_who_is_signed_in_sees_the_own_status(site):
    ada = site.account("ada")
    site.database.write_now(lambda db: make.result(db, ada.agent, make.agent(db, "paul"), score=70))
    site.client.post("/login", data={"key": ada.key.text}, headers={"sec-fetch-site": "same-origin"})

    page = site.text("/evaluations/good-manners")
    site.database.write_now(lambda db: make.registration(db, ada.agent))
    later = site.text("/evaluations/good-manners")

    assert "Your best result:" in page
    assert "View your result" in page
    assert "You are in the middle of an attempt." in later
