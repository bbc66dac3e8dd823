"""The page of a class: how it stands, who may read what, what came of it, and what may be done from it."""

import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from tests import make
from tests.exams import class_work
from tests.exams.class_work import CLASS
from tests.exams.test_classes import judge, marked, named, say
from viva.agents import accounts
from viva.agents.accounts import Account
from viva.analyses.model import FinishedAnalysis
from viva.evaluations import store as evaluations
from viva.exams import account_deletion, class_grading, classes, cohorts, joining, members
from viva.exams.model import Cohort
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.web import classes as pages_of_classes
from viva.web.evaluation_findings import FindingsPart, findings_part
from viva.web.pages import TEMPLATES

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))"onload="alert(1)'
SECRET = "The museum opens at ten."


@pytest.fixture
def site(new_site):
    made = new_site(VIVA_NO_WORKER="1")  # a judge's work is done when the test says so
    made.database.write_now(class_work.evaluation)
    return made


def gathered(site: Any, *names: str) -> Cohort:
    return site.database.write_now(lambda db: class_work.gathered(db, *names)[0])


def begun(db: Connection, *names: str) -> Cohort:
    cohort, people = class_work.gathered(db, *names)
    cohort = joining.start(db, CLASS, cohort.id, named(db, "ida"))
    for agent in people:
        say(db, cohort, agent, SECRET if agent.name == "ada" else "The bus leaves at nine.")
    return cohort


def running(site: Any, *names: str) -> Cohort:
    return site.database.write_now(lambda db: begun(db, *(names or ("ada", "bob"))))


def finished(site: Any, *names: str) -> Cohort:
    """Over, and left to the proctors."""

    def unit(db: Connection) -> Cohort:
        cohort = begun(db, *(names or ("ada", "bob")))
        cohort = classes.finish(db, CLASS, cohort.id, named(db, "ida"))
        judge(db, cohort)
        return cohort

    return site.database.write_now(unit)


def decided(site: Any, *names: str) -> Cohort:
    cohort = finished(site, *names)
    site.database.write_now(lambda db: marked(db, cohort, make.agent(db, "paul")))
    return cohort


def sign_in(site: Any, account: Account) -> None:
    site.client.post("/login", data={"key": account.key.text}, follow_redirects=False)


def sign_in_as(site: Any, name: str) -> None:
    """As somebody who is there already, with a new key."""
    sign_in(site, site.database.write_now(lambda db: Account(named(db, name), accounts.add_key(db, named(db, name)))))


def page_of(site: Any, cohort: Cohort, **query: str) -> str:
    return site.text(f"/classes/{cohort.id}", **query)


def post(site: Any, cohort: Cohort, deed: str, **headers: str) -> Any:
    return site.client.post(f"/classes/{cohort.id}/{deed}", headers=headers, follow_redirects=False)


def status_of(site: Any, cohort: Cohort) -> str:
    return site.database.read_now(lambda db: cohorts.get_by_id(db, cohort.id)).status


# How it stands


def test_an_open_class_shows_who_joined_how_many_seats_are_free_and_how_to_join(site):
    cohort = gathered(site, "ada")

    page = page_of(site, cohort)

    assert f'href="/evaluations/{CLASS}"' in page
    assert "Open: 1 has joined, 2 seats are free." in page
    assert "Its leader can start it earlier, when 1 more has joined." in page
    assert "Plan a day out for thirty children." in page
    assert 'href="/u/ida"' in page
    assert 'href="/u/ada"' in page
    assert f"POST /api/v1/evaluations/{CLASS}/cohorts/{cohort.id}/join" in page
    assert "The conversation begins when the class starts." in page
    assert "Group grade" not in page


def test_a_class_with_enough_participants_can_start_now(site):
    assert "Its leader can start it earlier." in page_of(site, gathered(site, "ada", "bob"))


def test_who_left_is_shown_with_the_time(site):
    def unit(db: Connection) -> Cohort:
        cohort, (ada, _) = class_work.gathered(db, "ada", "bob")
        joining.leave(db, CLASS, cohort.id, ada)
        return cohort

    page = page_of(site, site.database.write_now(unit))

    assert page.index(">ida<") < page.index(">bob<") < page.index(">ada<") < page.index("left <time")


def test_a_finished_class_says_who_marks_it(site):
    cohort = finished(site)

    page = page_of(site, cohort)

    assert "waits for a proctor’s marks" in page
    assert f'href="/proctor/{CLASS}/{cohort.id}"' in page
    site.database.write_now(lambda db: db.execute("UPDATE evaluation_sheets SET status = 'judges'"))
    assert "A judge is marking it" in page_of(site, cohort)


def test_a_marked_class_shows_the_grade_of_the_group_and_of_each(site):
    cohort = decided(site)

    page = page_of(site, cohort)

    assert "Marked: 1 of 2 passed." in page
    assert '<dt>Group grade</dt><dd>80<span class="of">/100</span>' in page
    assert '100<span class="of">/100' in page
    assert '90<span class="of">/100' in page
    assert '50<span class="of">/100' in page
    assert page.count("data-session") == 2
    assert page.index(">ida<") < page.index(">ada<") < page.index(">bob<")
    assert "leads, not marked" in page


def test_each_result_is_a_link_to_it(site):
    cohort = decided(site)
    ids = site.database.read_now(
        lambda db: db.execute("SELECT id FROM evaluation_results WHERE cohort_id = ?", [cohort.id]).fetchall()
    )

    page = page_of(site, cohort)

    assert len(ids) == 2
    assert all(f'href="/evaluations/result/{result_id}" data-session' in page for (result_id,) in ids)


def keep_analysis(db: Connection, cohort_id: str, found: dict[str, Any]) -> None:
    content = zlib.compress(msgspec.json.encode(found))
    class_grading.keep_analysis(db, cohort_id, FinishedAnalysis(content, "1.0.0", 1, None, None, 0, 0, [], []))


def test_the_analysis_is_shown_with_the_grades(site):
    cohort = decided(site)
    found = {
        "coordination": {
            "score": {"value": 0.75, "evidence": []},
            "duplicate_work": [{"why": "Both looked it up.", "quote": HOSTILE}],
        },
        "per_agent_scores": {"agent_unknown": {"overall": 0.1}},
    }
    site.database.write_now(lambda db: keep_analysis(db, cohort.id, found))

    page = page_of(site, cohort)

    assert "Work done twice" in page
    assert "Both looked it up." in page
    assert "<script>alert" not in page


def test_a_class_page_says_nothing_that_does_not_fit_a_class(site):
    """Marks of people stand on the page, so it has no scores of the engine beside them, and no advice on delegating."""
    cohort = decided(site)
    ids = [member.agent_id for member in site.database.read_now(lambda db: members.list_members(db, cohort))]
    found = {
        "coordination": {
            "score": {"value": 0.75, "evidence": []},
            "context_lost": [{"why": "The date was not handed on.", "quote": ""}],
            "role_breaches": [{"why": "It did the work of another.", "quote": ""}],
        },
        "per_agent_scores": {agent_id: {"overall": 0.1, "recommendations": ["Pass more context."]} for agent_id in ids},
    }
    site.database.write_now(lambda db: keep_analysis(db, cohort.id, found))

    page = page_of(site, cohort)

    assert "No duplicate work, contradiction or deadlock was found." in page
    assert not [text for text in ("75%", "10%", "handed on", "work of another", "more context") if text in page]


@pytest.mark.parametrize("found", [{}, {"coordination": 7}, {"per_agent_scores": [HOSTILE]}])
def test_an_analysis_of_another_shape_breaks_nothing(site, found):
    cohort = decided(site)
    site.database.write_now(lambda db: keep_analysis(db, cohort.id, found))

    assert "Marked: 1 of 2 passed." in page_of(site, cohort)


def test_a_class_of_an_older_version_shows_the_task_of_that_version(site):
    cohort = gathered(site, "ada")
    site.database.write_now(lambda db: class_work.evaluation(db, "2.0.0", task="Plan nothing."))

    page = page_of(site, cohort)

    assert "Plan a day out for thirty children." in page
    assert "version 1.0.0" in page


# Why it was cancelled


def call_off(db: Connection) -> Cohort:
    cohort, _ = class_work.gathered(db, "ada")
    return classes.finish(db, CLASS, cohort.id, named(db, "ida"))


def desert(db: Connection) -> Cohort:
    ada = class_work.registered(db, "ada")
    cohort = joining.open_cohort(db, CLASS, ada, None).cohort
    return joining.leave(db, CLASS, cohort.id, ada).cohort


def wait_too_long(db: Connection) -> Cohort:
    cohort, _ = class_work.gathered(db, "ada")
    db.execute("UPDATE evaluation_cohorts SET opened_at = ?", [now() - timedelta(days=1, minutes=1)])
    classes.end_overdue(db)
    return cohort


def be_silent(db: Connection) -> Cohort:
    cohort, _ = class_work.gathered(db, "ada", "bob")
    joining.start(db, CLASS, cohort.id, named(db, "ida"))
    return classes.finish(db, CLASS, cohort.id, named(db, "ida"))


@pytest.mark.parametrize(
    ("cancel", "reason"),
    [
        (call_off, "its leader cancelled it before it began."),
        (desert, "all members left before it began."),
        (wait_too_long, "it had not started a day after it was opened."),
        (be_silent, "fewer than 2 participants stayed to the end and sent messages."),
    ],
)
def test_a_cancelled_class_says_why(site, cancel: Callable[[Connection], Cohort], reason: str):
    cohort = site.database.write_now(cancel)

    page = page_of(site, cohort)

    assert "Cancelled" in page
    assert reason in page
    assert "nobody lost a try" in page
    assert f'action="/classes/{cohort.id}' not in page


# Who may read what is said


def test_the_page_of_the_evaluation_leads_to_its_classes(site):
    cohort = gathered(site, "ada", "pia")

    page = site.text(f"/evaluations/{CLASS}")

    assert f'href="/classes/{cohort.id}"' in page
    assert f"2 of {cohort.max_participants} seats taken" in page


def test_the_talk_of_a_class_is_nobodys_own_and_draws_no_dots(site):
    decided(site)

    def read_findings(db: Connection) -> FindingsPart:
        evaluation = evaluations.get(db, CLASS)
        return findings_part(db, evaluation, evaluation, None, None)

    found = site.database.read_now(read_findings)

    assert (found.found.attempts, found.dots, found.attempts_with_conversation) == (2, [], 0)


def test_a_visitor_does_not_read_a_running_class(site):
    cohort = running(site)

    page = page_of(site, cohort)

    assert "Running since" in page
    assert SECRET not in page
    assert f"/sessions/{cohort.session_id}" not in page
    assert f"/login?next=%2Fclasses%2F{cohort.id}" in page
    assert "The conversation becomes public with the grades." in page


def test_another_agent_does_not_read_it_either(site):
    cohort = running(site)
    sign_in(site, site.account("eve"))

    page = page_of(site, cohort)

    assert SECRET not in page
    assert f"/sessions/{cohort.session_id}" not in page


@pytest.mark.parametrize("name", ["ada", "ida"])
def test_those_of_the_class_read_it_and_are_led_to_the_live_session(site, name):
    cohort = running(site)
    sign_in_as(site, name)

    page = page_of(site, cohort)

    assert SECRET in page
    assert f'href="/sessions/{cohort.session_id}"' in page


def test_a_maintainer_reads_it(site):
    cohort = running(site)
    account = site.account("mia")
    site.database.write_now(
        lambda db: db.execute("UPDATE agents SET is_maintainer = TRUE WHERE id = ?", [account.agent.id])
    )
    sign_in(site, account)

    assert SECRET in page_of(site, cohort)


def test_everybody_reads_an_observable_class(new_site):
    site = new_site(VIVA_NO_WORKER="1")
    site.database.write_now(lambda db: class_work.evaluation(db, observable=True))

    assert SECRET in page_of(site, running(site))


def test_what_was_said_and_found_stays_closed_until_there_are_grades(site):
    cohort = finished(site)

    page = page_of(site, cohort)

    assert SECRET not in page
    assert 'id="analysis"' not in page


def test_with_the_grades_it_is_public(site):
    page = page_of(site, decided(site))

    assert page.index(SECRET) < page.index("The bus leaves at nine.")
    assert 'id="analysis"' in page


def test_a_cancelled_class_is_read_by_those_who_took_part(site):
    cohort = running(site)

    def unit(db: Connection) -> None:
        joining.leave(db, CLASS, cohort.id, named(db, "bob"))
        classes.finish(db, CLASS, cohort.id, named(db, "ida"))

    site.database.write_now(unit)

    assert SECRET not in page_of(site, cohort)
    assert "only its participants may read" in page_of(site, cohort)
    sign_in_as(site, "bob")
    assert SECRET in page_of(site, cohort)


def test_a_long_conversation_comes_page_by_page(site):
    def unit(db: Connection) -> Cohort:
        cohort = begun(db, "ada", "bob")
        for number in range(3, 206):
            say(db, cohort, named(db, "ada"), f"message {number}.")
        cohort = classes.finish(db, CLASS, cohort.id, named(db, "ida"))
        judge(db, cohort)
        marked(db, cohort, make.agent(db, "paul"))
        return cohort

    cohort = site.database.write_now(unit)

    first, second = page_of(site, cohort), page_of(site, cohort, after="200")

    assert "message 200." in first
    assert "message 201." not in first
    assert f'href="/classes/{cohort.id}?after=200#conversation" rel="next"' in first
    assert "message 201." in second
    assert "message 205." in second
    assert 'rel="next"' not in second
    assert f'href="/classes/{cohort.id}?after=200#msg-201"' in second
    assert "There are no messages after message 900." in page_of(site, cohort, after="900")


def test_the_newest_classes_of_an_evaluation_are_listed(site):
    first, second = site.database.write_now(
        lambda db: [class_work.gathered(db, "ada")[0], joining.open_cohort(db, CLASS, named(db, "ida"), None).cohort]
    )

    latest = site.database.read_now(lambda db: pages_of_classes.latest(db, CLASS))
    page = TEMPLATES.get_template("classes/_latest.html").render(classes=latest)

    older, newer = sorted([first.id, second.id])  # ids of the same millisecond come in any order
    assert page.index(f'href="/classes/{newer}"') < page.index(f'href="/classes/{older}"')
    assert "1 of 3 seats taken, version 1.0.0" in page
    assert "There are no classes yet." in TEMPLATES.get_template("classes/_latest.html").render(classes=[])


# Hostile words, deleted agents, strange addresses


def test_what_agents_wrote_is_text(site):
    name = '<img src=x onerror=alert(1)>"' + "W" * 100

    def unit(db: Connection) -> Cohort:
        cohort = begun(db, name, "bob")
        say(db, cohort, named(db, "bob"), HOSTILE)
        cohort = classes.finish(db, CLASS, cohort.id, named(db, "ida"))
        judge(db, cohort)
        marked(db, cohort, make.agent(db, "paul"))
        return cohort

    page = page_of(site, site.database.write_now(unit))

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert 'href="javascript' not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;img src=x" in page
    assert 'href="/u/%3Cimg%20src%3Dx' in page


def test_a_deleted_agent_has_no_link(site):
    cohort = decided(site)
    site.database.write_now(lambda db: account_deletion.delete_account(db, named(db, "ada")))
    site.database.write_now(lambda db: account_deletion.delete_account(db, named(db, "ida")))

    page = page_of(site, cohort)

    assert page.count("deleted agent") >= 4
    assert 'href="/u/deleted' not in page
    assert 'href="/u/ada"' not in page
    assert SECRET in page


def test_a_class_whose_participants_are_all_gone_has_no_grades(site):
    cohort = finished(site)
    for name in ("ada", "bob"):
        site.database.write_now(lambda db, name=name: account_deletion.delete_account(db, named(db, name)))
    site.database.write_now(
        lambda db: db.execute("UPDATE evaluation_sheets SET status = 'closed', closed_at = ?", [now()])
    )

    assert "have left the hub" in page_of(site, cohort)


@pytest.mark.parametrize("path", ["/classes/none", "/classes/" + "x" * 5000, "/classes/..%2F..%2Fetc"])
def test_there_is_a_page_for_no_class(site, path):
    assert site.get(path).status_code == 404


@pytest.mark.parametrize("query", [{"after": "-1"}, {"after": "x" * 900}, {"after": "9" * 30}, {"message": "7"}])
def test_a_strange_query_still_shows_the_page(site, query):
    assert "Marked" in page_of(site, decided(site), **query)


# What is done from it


def test_whoever_signs_in_can_join_which_registers_too(site):
    cohort = gathered(site, "ada")
    sign_in(site, site.account("eve"))
    assert ">Join this class<" in page_of(site, cohort)

    done = post(site, cohort, "join", **{"sec-fetch-site": "same-origin"})
    page = page_of(site, cohort)

    assert (done.status_code, done.headers["location"]) == (303, f"/classes/{cohort.id}")
    assert "Open: 2 have joined, 1 seat is free." in page
    assert ">Join this class<" not in page
    assert ">Leave the class<" in page
    post(site, cohort, "leave")
    assert "Open: 1 has joined" in page_of(site, cohort)


def test_who_leads_starts_and_ends_the_class(site):
    cohort = gathered(site, "ada", "bob")
    sign_in_as(site, "ida")
    page = page_of(site, cohort)
    assert ">Start the class<" in page
    assert ">Cancel the class<" in page
    assert ">Join this class<" not in page

    post(site, cohort, "start")
    assert ">End the class<" in page_of(site, cohort)
    post(site, cohort, "finish")

    assert status_of(site, cohort) == "cancelled"


def test_a_participant_starts_it_once_all_have_waited_long(site):
    cohort = gathered(site, "ada", "bob")
    sign_in_as(site, "ada")
    assert ">Start the class<" not in page_of(site, cohort)
    assert post(site, cohort, "start").status_code == 403

    site.database.write_now(
        lambda db: db.execute("UPDATE evaluation_cohorts SET opened_at = ?", [now() - timedelta(minutes=31)])
    )

    assert ">Start the class<" in page_of(site, cohort)
    assert post(site, cohort, "start").status_code == 303
    assert status_of(site, cohort) == "running"


def test_nothing_is_offered_to_whoever_is_not_signed_in(site):
    cohort = gathered(site, "ada")

    answer = post(site, cohort, "join")

    assert f'action="/classes/{cohort.id}' not in page_of(site, cohort)
    assert answer.headers["location"] == f"/login?next=%2Fclasses%2F{cohort.id}"


@pytest.mark.parametrize(("deed", "status"), [("leave", 409), ("finish", 403), ("start", 403), ("burn", 404)])
def test_what_is_not_ones_to_do_is_refused_in_a_sentence(site, deed, status):
    cohort = gathered(site, "ada", "bob")
    sign_in(site, site.account("eve"))

    answer = post(site, cohort, deed)

    assert answer.status_code == status
    assert "<h1" in answer.text
    assert status_of(site, cohort) == "open"


def test_a_full_class_cannot_be_joined(site):
    cohort = gathered(site, "ada", "bob", "cleo")
    sign_in(site, site.account("eve"))

    assert ">Join this class<" not in page_of(site, cohort)
    assert post(site, cohort, "join").status_code == 409
    assert site.database.read_now(queue.tally)["waiting"] == 0


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
def test_a_form_of_another_site_is_not_taken(site, headers):
    cohort = gathered(site, "ada", "bob")
    sign_in_as(site, "ida")

    assert post(site, cohort, "start", **headers).status_code == 403
    assert status_of(site, cohort) == "open"
