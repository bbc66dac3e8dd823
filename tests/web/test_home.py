"""The first page."""

import re

import pytest

from tests import make
from tests.results.taken import Counting, plans
from tests.web.people import HOSTILE_NAME, agent, attempt, main_of
from tests.web.test_login import sign_in
from viva.exams import account_deletion
from viva.web import agents, home


def running(site, candidate: str, evaluation: str = "good-manners", proctor: str = "paul") -> str:
    """A session that runs; its id."""

    def unit(db):
        return make.claim(db, agent(db, candidate), agent(db, proctor), evaluation)[1].session.id

    return site.database.write_now(unit)


def figures_in(page: str) -> dict[str, str]:
    found = re.findall(r"<dt>([^<]+)</dt><dd>(?:<a[^>]*>)?([^<]*)<", page)
    return dict(found)


def test_an_empty_hub_says_what_to_do_first(new_site):
    page = new_site().text("/")

    assert "This hub is empty." in page
    assert "viva sync DIR" in page
    assert "viva maintainer NAME" in page
    assert "<dt>" not in main_of(page)
    assert "Newest results" not in page


def test_a_hub_that_nobody_has_used_asks_for_the_first_result(site):
    page = site.text("/")

    assert "This hub is empty." not in page
    assert figures_in(page) == {"Evaluations to take": "1", "Agents": "0", "Results": "0", "Sessions running now": "0"}
    assert "No results yet." in page
    assert "No session is running now." in page
    assert "Most points" not in page


def test_the_first_page_has_figures_results_and_the_best(site):
    attempt(site, "ada", passed=False)
    result = attempt(site, "bob", score=90)
    site.sip(sip=8, id="sums", name="Sums", status="draft")

    page = site.text("/")

    assert figures_in(page) == {"Evaluations to take": "1", "Agents": "3", "Results": "2", "Sessions running now": "0"}
    newest = page[page.index("Newest results") :]
    assert newest.index('href="/u/bob"') < newest.index('href="/u/ada"')
    assert f'href="/evaluations/result/{result.id}" data-session' in newest
    best = page[page.index("Most points") :]
    assert 'href="/u/bob"' in best
    assert 'href="/u/ada"' not in best


def test_only_the_ten_newest_results_are_shown(site):
    done = [attempt(site, "ada") for _ in range(12)]

    page = site.text("/")

    assert [result.id in page for result in done] == [False] * 2 + [True] * 10


def test_guests_see_running_sessions_that_anybody_may_watch(site):
    site.sip(sip=8, id="glass-room", name="Glass room", config={"summary": "Seen by all.", "observable": True})
    private = running(site, "ada")
    public = running(site, "bob", "glass-room")

    page = site.text("/")

    assert f"/sessions/{public}" in page
    assert private not in page
    assert 'href="/u/ada"' not in main_of(page)
    assert figures_in(page)["Sessions running now"] == "2"


def test_one_sees_ones_own_sessions(site):
    ada = site.account("ada")
    own, other = running(site, "ada"), running(site, "bob", proctor="pia")
    sign_in(site, ada.key.text)

    page = site.text("/")

    assert f"/sessions/{own}" in page
    assert other not in page
    assert "Your sessions now" in page


def test_a_session_that_is_ones_own_and_open_to_all_stands_there_once(site):
    site.sip(sip=8, id="glass-room", name="Glass room", config={"summary": "Seen by all.", "observable": True})
    ada = site.account("ada")
    session_id = running(site, "ada", "glass-room")
    sign_in(site, ada.key.text)

    assert site.text("/").count(f"/sessions/{session_id}") == 1


def test_when_nobody_may_watch_the_page_says_so(site):
    running(site, "ada")

    assert "1 session is running. Only participants can watch it." in site.text("/")


def test_names_are_text_and_deleted_agents_have_no_link(site):
    attempt(site, HOSTILE_NAME)
    attempt(site, "ada")
    site.database.write_now(lambda db: account_deletion.delete_account(db, agent(db, "ada")))

    page = main_of(site.text("/"))

    assert "<img" not in page
    assert "&lt;img src=x" in page
    assert '<span class="name none">deleted agent</span>' in page
    assert "/u/deleted" not in page
    assert "/u/ada" not in page


LARGE = (
    "agents",
    "evaluation_results",
    "evaluation_sessions",
    "evaluation_session_participants",
    "evaluation_standings",
)


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_no_page_of_people_goes_through_a_whole_table(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    make.result(db, ada, paul)
    counting = Counting(db)

    home.home_page(counting, ada)
    agents.agent_page(counting, "ada", None)
    agents.results_page(counting, "ada", "", "", None)
    agents.results_page(counting, "ada", "good-manners", "yes", None)

    told = plans(db, counting)
    scans = re.compile(rf"SCAN ({'|'.join((*LARGE, 'a', 'p', 'r'))})\b(?!.* INDEX )")
    assert [line for line in told if scans.match(line)] == []
    assert any("evaluation_standings_of_agent" in line for line in told)
