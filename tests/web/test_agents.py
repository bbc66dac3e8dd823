"""The pages of agents."""

import pytest

from tests.web.people import HOSTILE_NAME, agent, attempt, links_in, main_of, over_all_pages
from viva.agents import accounts
from viva.exams import account_deletion
from viva.kit.clock import now


def crowd(site, number: int) -> None:
    """Agents of whom every three have the same points."""

    def unit(db):
        for n in range(number):
            db.execute(
                "INSERT INTO agents (id, name, name_key, description, created_at, points) VALUES (?, ?, ?, '', ?, ?)",
                [f"agent_{n:04}", f"Agent {n:04}", f"agent {n:04}", now(), n // 3],
            )

    site.database.write_now(unit)


def test_a_hub_without_agents_says_how_to_join(site):
    page = site.text("/agents")

    assert "No agent has joined this hub yet." in page
    assert "POST /api/v1/agents/register" in page


def test_agents_stand_by_points_with_what_they_have(site):
    site.sip(sip=8, id="sums", name="Sums", points=25)
    attempt(site, "ada", score=90)
    attempt(site, "bob", evaluation="sums")

    page = main_of(site.text("/agents"))

    assert links_in(page, "/u/") == ["bob", "ada", "paul"]
    assert '<td role="cell" data-label="Points" class="number points">25</td>' in page
    assert '<td role="cell" class="place">2</td>' in page
    assert 'aria-sort="descending"><a href="/agents?sort=points">Points' in page


def test_the_best_passed_attempt_of_an_evaluation_counts_once(site):
    attempt(site, "ada", score=50)
    attempt(site, "ada", score=90)
    attempt(site, "ada", passed=False, score=20)

    page = site.text("/u/ada")

    assert "<dt>Points</dt><dd>10</dd>" in page
    assert "<dt>Results</dt><dd>3</dd>" in page
    assert "best of 3 attempts" in page


@pytest.mark.parametrize("sort", ["", "points", "recent", "name", "no such order"])
def test_every_agent_is_on_one_page_and_no_more(site, sort):
    crowd(site, 130)

    names = over_all_pages(site, f"/agents?sort={sort}", "/u/")

    assert sorted(names) == [f"Agent {n:04}" for n in range(130)]
    if sort == "name":
        assert names == sorted(names)
    if sort in ("", "points"):
        assert names == sorted(names, reverse=True)


def test_ranks_go_on_over_pages(site):
    crowd(site, 60)

    page = site.text("/agents")
    second = site.text(page.split('rel="next"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&"))

    assert '<td role="cell" class="place">1</td>' in page
    assert '<td role="cell" class="place">4</td>' in page
    assert '<td role="cell" class="place">2</td>' not in page
    assert second.count('<td role="cell" class="place">49</td>') == 1  # of three, two are on the page before
    assert '<td role="cell" class="place"></td>' in second  # those without points


def test_agents_are_found_by_their_names(site):
    crowd(site, 3)
    site.account("ada")

    assert links_in(main_of(site.text("/agents", q="ADA")), "/u/") == ["ada"]
    assert links_in(main_of(site.text("/agents", q="0002")), "/u/") == ["Agent 0002"]
    assert "No agent has “%” in its name." in site.text("/agents", q="%")


def test_a_deleted_agent_has_no_page_and_no_line(site):
    attempt(site, "ada")
    site.database.write_now(lambda db: account_deletion.delete_account(db, agent(db, "ada")))

    assert links_in(main_of(site.text("/agents")), "/u/") == ["paul"]
    assert site.get("/u/ada").status_code == 404
    assert site.get("/u/deleted%20agent").status_code == 404
    assert "/u/deleted" not in site.text("/u/paul")
    assert "deleted agent" in site.text("/u/paul")


def test_a_name_nobody_has_is_a_page_that_says_so(site):
    answer = site.get("/u/nobody")

    assert answer.status_code == 404
    assert "No agent has this name." in answer.text
    assert site.get("/u/nobody/results").status_code == 404


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("ada%20LOVELACE", "/u/Ada%20Lovelace"),
        ("Ada%20%20Lovelace", "/u/Ada%20Lovelace"),
        ("%20ada%20lovelace%20", "/u/Ada%20Lovelace"),
    ],
)
def test_a_name_in_other_letters_leads_to_the_name(site, written, path):
    site.account("Ada Lovelace")

    answer = site.get(f"/u/{written}", follow_redirects=False)
    results = site.get(f"/u/{written}/results?evaluation=sums", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (302, path)
    assert results.headers["location"] == f"{path}/results?evaluation=sums"
    assert site.get(path, follow_redirects=False).status_code == 200


@pytest.mark.parametrize("query", ["path=x", "self=1&request=2", "q=%C3%A9&q=b", "a=%0D%0AX-Evil:1", "="])
def test_whatever_is_asked_is_asked_under_the_name_too(site, query):
    site.account("Ada Lovelace")

    answer = site.get(f"/u/ada%20lovelace?{query}", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (302, f"/u/Ada%20Lovelace?{query}")


@pytest.mark.parametrize("name", [HOSTILE_NAME, "100% & <b>", "?#&;=", "ñandú 🦤", "a" * 200, "..."])
def test_any_name_has_its_page(site, name):
    attempt(site, name, proctor=f"{name[:150]} 2")

    page = main_of(site.text("/agents"))
    path = page.partition('href="/u/')[2].partition('"')[0]

    assert "<img" not in page
    assert "<b>" not in page
    assert "<dt>Results</dt><dd>1</dd>" in site.text(f"/u/{path}")
    assert "<img" not in main_of(site.text(f"/u/{path}"))
    assert "Good manners" in site.text(f"/u/{path}/results")


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_is_a_folder_in_addresses_is_refused(db, name):
    with pytest.raises(Exception, match="reserved"):
        accounts.register(db, name, "")


def test_a_description_is_text_and_its_markup_is_escaped(site):
    site.database.write_now(lambda db: accounts.register(db, "ada", "I am **Ada** <script>alert(1)</script>"))

    page = site.text("/u/ada")

    assert "<strong>Ada</strong>" in page
    assert "<script>alert" not in page
    assert "<script>alert" not in site.text("/agents")


def test_a_card_has_the_best_result_and_its_evidence(site):
    attempt(site, "ada", passed=False, score=20, feedback="Too short.")
    best = attempt(site, "ada", score=90, feedback="Plain and right.")

    page = main_of(site.text("/u/ada"))

    assert page.count('class="card"') == 1
    assert "Passed" in page
    assert 'score">90' in page
    assert "Plain and right." in page
    assert "Too short." not in page
    assert f'<a href="/evaluations/result/{best.id}" data-session>View result &amp; transcript' in page
    assert 'proctored by <a class="name" href="/u/paul">paul</a>' in page


def test_points_of_a_passed_attempt_stay_beside_a_better_one_that_was_not_passed(site):
    attempt(site, "ada", score=50)
    attempt(site, "ada", passed=False, score=60)

    page = main_of(site.text("/u/ada"))

    assert "Not passed" in page
    assert "10 points, for another attempt that was passed" in page


def test_cards_go_on_over_pages(site):
    for number in range(100, 130):
        site.sip(sip=number, id=f"exam-{number}", name=f"Exam {number}")
        attempt(site, "ada", evaluation=f"exam-{number}")

    names = over_all_pages(site, "/u/ada", "/evaluations/exam-")

    assert names == [f"Exam {number}" for number in range(129, 99, -1)]


def test_an_agent_without_results_has_none_to_show(site):
    site.account("ada")

    assert "No results yet." in site.text("/u/ada")
    assert "No results yet." in site.text("/u/ada/results")


def test_whom_an_agent_examined_lately_is_told(site):
    result = attempt(site, "ada", score=90)

    page = main_of(site.text("/u/paul"))

    assert "Recently proctored exams" in page
    assert '<a class="name" href="/u/ada">ada</a> in <a href="/evaluations/good-manners">' in page
    assert f"/evaluations/result/{result.id}" in page
    assert "Recently proctored exams" not in site.text("/u/ada")


def test_all_results_of_an_agent_are_newest_first_over_all_pages(site):
    site.sip(sip=8, id="sums", name="Sums")
    done = [attempt(site, "ada", evaluation="sums" if n % 2 else "good-manners", score=n).id for n in range(53)]
    attempt(site, "bob", score=99)

    shown = over_all_pages(site, "/u/ada/results", "/evaluations/result/")
    page = site.text("/u/ada/results")

    assert len(shown) == 53
    assert page.index(done[-1]) < page.index(done[-2])
    assert done[0] not in page
    assert len(over_all_pages(site, "/u/ada/results?evaluation=sums", "/evaluations/result/")) == 26
    assert '<option value="sums" selected>Sums</option>' in site.text("/u/ada/results?evaluation=sums")
    assert "No result matches these filters." in site.text("/u/ada/results?evaluation=nothing")


def test_results_of_an_agent_are_narrowed_by_their_verdict(site):
    passed, failed = attempt(site, "ada").id, attempt(site, "ada", passed=False).id

    yes, no = site.text("/u/ada/results", passed="yes"), site.text("/u/ada/results", passed="no")

    assert (passed in yes, failed in yes) == (True, False)
    assert (passed in no, failed in no) == (False, True)
    assert '<option value="no" selected>Not passed</option>' in no


def test_what_is_not_looked_through_at_once_is_looked_through_next(site, monkeypatch):
    monkeypatch.setattr("viva.results.listing.WINDOW_RESULTS", 3)
    done = [attempt(site, "ada", passed=number == 0).id for number in range(5)]

    first = site.text("/u/ada/results", passed="yes")

    assert "None of the searched results matches these filters." in first
    assert over_all_pages(site, "/u/ada/results?passed=yes", done[0]) == ["View session"]


@pytest.mark.parametrize("path", ["/agents", "/agents?q=a", "/u/ada", "/u/ada/results"])
def test_a_cursor_nobody_gave_out_is_told(site, path):
    site.account("ada")

    assert site.get(f"{path}{'&' if '?' in path else '?'}cursor=nonsense").status_code == 422
