"""The page of all evaluations."""

import re

from tests import make
from tests.exams import certification, class_work
from tests.results.taken import Counting
from tests.web.people import agent, attempt
from tests.web.test_login import sign_in
from viva.exams import joining, registering
from viva.web import catalogue


def own_in(page: str) -> list[str]:
    """What the page says of the viewer's status, as a reader sees it."""
    lists = re.findall(r'<ul class="own" aria-label="Your status">(.*?)</ul>', page, re.DOTALL)
    return [" ".join(re.sub(r"<span class=\"hidden\">.*?</span>|<[^>]+>", " ", text).split()) for text in lists]


def test_a_hub_without_evaluations_says_so(new_site):
    page = new_site().text("/evaluations")

    assert "This hub has no evaluations yet." in page


def test_evaluations_stand_under_their_department_and_module(site):
    site.sip(
        sip=8, id="sums", name="Sums", department="foundations", module="reckoning", prerequisites=("good-manners",)
    )

    page = site.text("/evaluations")

    assert page.index("Foundations</h2>") < page.index("Reckoning</h3>") < page.index("Sums</a>")
    assert page.index("Sums</a>") < page.index("Other evaluations</h2>") < page.rindex("Good manners</a>")
    assert 'after <a href="/evaluations/good-manners">Good manners</a>' in page


def test_a_pass_rate_comes_with_its_count_and_interval(site):
    site.result("ada", passed=True)
    site.result("bob", passed=True)
    site.result("cleo", passed=False)

    page = site.text("/evaluations")

    assert "<strong>67%</strong> passed" in page
    assert '2 of 3 attempts, <span class="unbroken">95% interval 21% to 94%' in page


def test_an_evaluation_nobody_tried_has_no_rate(site):
    page = site.text("/evaluations")

    assert "No attempts yet" in page
    assert "%</strong>" not in page


def test_search_and_filters_narrow_the_list(site):
    site.sip(sip=8, id="sums", name="Sums", status="retired")

    assert "Good manners</a>" not in site.text("/evaluations", q="sums")
    assert "Sums</a>" not in site.text("/evaluations", status="active")
    assert "Good manners</a>" in site.text("/evaluations", type="proctored", status="")
    assert "No evaluation matches this search." in site.text("/evaluations", q="nothing like it")


def test_a_search_is_shown_again_as_text(site):
    page = site.text("/evaluations", q='"><script>alert(1)</script>')

    assert "<script>alert" not in page
    assert "&#34;&gt;&lt;script&gt;alert(1)" in page


def test_a_search_that_is_no_text_finds_nothing(site):
    assert site.get("/evaluations?q=%ff%fe").status_code == 200


def test_nobody_has_a_status_who_is_not_signed_in_or_has_done_nothing(site):
    attempt(site, "ada")

    assert own_in(site.text("/evaluations")) == []
    sign_in(site, site.account("bob").key.text)
    assert own_in(site.text("/evaluations")) == []


def test_one_sees_what_one_has_passed_and_what_not_yet(site):
    site.sip(sip=8, id="sums", name="Sums")
    key = site.account("ada").key.text
    result = attempt(site, "ada")
    attempt(site, "ada", passed=False)
    attempt(site, "ada", evaluation="sums", passed=False)
    sign_in(site, key)

    page = site.text("/evaluations")

    assert own_in(page) == ["You passed , 10 points", "You have not passed yet"]
    assert f"/evaluations/result/{result.id}" in page


def test_who_passed_once_has_passed_whatever_came_of_better_attempts(site):
    key = site.account("ada").key.text
    attempt(site, "ada", score=50)
    better = attempt(site, "ada", passed=False, score=60)
    sign_in(site, key)

    page = site.text("/evaluations")

    assert own_in(page) == ["You passed , 10 points"]
    assert better.id not in page
    assert 'href="/u/ada/results?evaluation=good-manners&amp;passed=yes"' in page


def test_one_sees_where_ones_exams_are(site):
    key = site.account("ada").key.text
    for number, name in enumerate(("registered", "waiting", "examined"), 20):
        site.sip(sip=number, id=name, name=name)

    def unit(db):
        ada, paul = agent(db, "ada"), agent(db, "paul")
        certification.evaluation(db)
        certification.hand_in(db, ada)
        # As the background work does, for want of judges.
        db.execute("UPDATE evaluation_sheets SET status = 'proctors'")
        class_work.evaluation(db)
        cohort, _ = class_work.gathered(db)
        registering.register(db, class_work.CLASS, ada)
        joining.join(db, class_work.CLASS, cohort.id, ada)
        registering.register(db, "registered", ada)
        make.registration(db, ada, "waiting")
        return make.claim(db, ada, paul, "examined")[1].session.id

    session_id = site.database.write_now(unit)
    sign_in(site, key)

    page = site.text("/evaluations")

    assert sorted(own_in(page)) == [
        "Undecided: your attempt waits for a marker",
        "You are registered and have not started",
        "You are waiting for a proctor",
        "You are waiting for the class to begin",
        "Your exam is in progress",
    ]
    assert f'href="/sessions/{session_id}"' in page


def test_two_hundred_evaluations_are_read_in_few_statements(db):
    for number in range(1, 201):
        make.evaluation(db, sip=number, id=f"exam-{number}", name=f"Exam {number}")
    ada = make.agent(db, "ada")
    make.result(db, ada, make.agent(db, "paul"), evaluation_id="exam-1")
    counting = Counting(db)

    page = catalogue.catalogue_page(counting, catalogue.Search("", "", "", None), ada)

    assert page.count == 200
    assert len(counting.asked) == 5
