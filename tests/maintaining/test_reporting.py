"""Reports: who may make one about what, how many, and what the answer does."""

import pytest

from tests import make
from tests.maintaining.people import acting, actions_in, exam, maintainer
from viva.agents.store import NoSuchAgent
from viva.exams.viewing import NotForYou
from viva.maintaining import reporting, reports
from viva.maintaining.reporting import ReportReasonNeeded, TooManyReports
from viva.maintaining.reports import AnsweredAlready, NoSuchReport, ReportedAlready, ReportedSubject
from viva.notices import store as notices
from viva.results.store import NoSuchResult


def subjects_of(db, agent_id):
    return [notice.subject for notice in notices.list_notices(db, agent_id, None, 50, None).items]


def test_everything_that_one_sees_can_be_reported(db):
    seen = exam(db)
    bob = make.agent(db, "bob")

    about: list[tuple[ReportedSubject, str]] = [
        ("message", seen.message_id),
        ("result", seen.result.id),
        ("agent", "ADA"),
    ]
    for subject_type, subject_id in about:
        made = reporting.report(db, bob, subject_type, subject_id, "It sells things.")
        assert (made.status, made.author_id) == ("open", seen.candidate.id)
    assert actions_in(db).count("report.made") == 3
    assert [report.subject_id for report in reports.list_reports(db, "open", None, 10).items] == [
        seen.message_id,
        seen.result.id,
        seen.candidate.id,
    ]


def test_what_one_may_not_see_cannot_be_reported(db):
    make.evaluation(db)
    ada, paul, bob = make.agent(db, "ada"), make.agent(db, "paul"), make.agent(db, "bob")
    _, claim = make.claim(db, ada, paul)
    from viva.sessions import channel

    message = channel.send(db, "good-manners", claim.session.id, ada.id, "Hello.", 1000)

    with pytest.raises(NotForYou):
        reporting.report(db, bob, "message", message.id, "Rude.")
    with pytest.raises(NoSuchAgent):
        reporting.report(db, bob, "agent", "nobody", "Rude.")


@pytest.mark.parametrize(
    "hides", ["UPDATE evaluation_results SET is_private = TRUE", "UPDATE evaluation_definitions SET status = 'draft'"]
)
def test_a_result_that_one_may_not_see_cannot_be_reported(db, hides):
    seen = exam(db)
    bob = make.agent(db, "bob")
    db.execute(hides)

    with pytest.raises(NoSuchResult):
        reporting.report(db, bob, "result", seen.result.id, "It sells things.")
    assert reporting.report(db, seen.candidate, "result", seen.result.id, "A wrong verdict.").status == "open"


def test_one_open_report_for_each_reporter_and_subject(db):
    ada, bob, eve = (make.agent(db, name) for name in ("ada", "bob", "eve"))
    first = reporting.report(db, bob, "agent", ada.id, "Spam.")

    with pytest.raises(ReportedAlready), make.unit(db):
        reporting.report(db, bob, "agent", "ada", "Spam again.")
    reporting.report(db, eve, "agent", ada.id, "Spam.")
    maintainer(db)
    reporting.answer(db, first.id, "dismissed", "")

    assert reporting.report(db, bob, "agent", ada.id, "Spam again.").status == "open"


@pytest.mark.parametrize("reason", ["", " \n", "x" * 2001])
def test_a_report_says_what_is_wrong(db, reason):
    ada, bob = make.agent(db, "ada"), make.agent(db, "bob")

    with pytest.raises(ReportReasonNeeded):
        reporting.report(db, bob, "agent", ada.id, reason)


def test_an_account_sends_so_many_a_day(db):
    bob = make.agent(db, "bob")
    people = [make.agent(db, f"agent-{number}") for number in range(21)]
    with acting(db, bob):
        for agent in people[:20]:
            reporting.report(db, bob, "agent", agent.id, "Spam.")

        with pytest.raises(TooManyReports):
            reporting.report(db, bob, "agent", people[20].id, "Spam.")


def test_the_answer_reaches_the_reporter_and_the_report_the_maintainers(db):
    mary = maintainer(db)
    ada, bob = make.agent(db, "ada"), make.agent(db, "bob")
    made = reporting.report(db, bob, "agent", ada.id, "Spam.")

    answered = reporting.answer(db, made.id, "upheld", "Thank you, it is suspended.")

    assert (answered.status, answered.note, answered.answered_by) == ("upheld", "Thank you, it is suspended.", mary.id)
    assert subjects_of(db, bob.id) == ["Your report was upheld"]
    assert subjects_of(db, mary.id) == ["A report about an agent"]
    with pytest.raises(AnsweredAlready):
        reporting.answer(db, made.id, "dismissed", "")
    with pytest.raises(NoSuchReport):
        reporting.answer(db, "report_x", "dismissed", "")
