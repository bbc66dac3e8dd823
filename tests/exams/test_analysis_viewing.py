"""Who may see the analysis of a hosted run: nobody but maintainers before the verdict, then whoever may see its session."""

import pytest

from tests import make
from tests.exams.class_work import CLASS, evaluation, gathered
from tests.values import require
from viva.agents import accounts
from viva.agents import store as agents
from viva.analyses import running, store
from viva.analyses.model import Subject
from viva.exams import analysis_viewing, classes, grading, joining, proctoring, sheets
from viva.exams.handlers.proctored import Verdict
from viva.exams.marking import GivenMark
from viva.exams.viewing import NotForYou
from viva.jobs import queue
from viva.judging.panel import Panel
from viva.kit.errors import Unauthorized
from viva.sessions import channel
from viva.sessions.store import NoSuchSession

EXAM = "good-manners"
EVERYBODY = ("nobody", "candidate", "proctor", "stranger", "maintainer")


@pytest.fixture
def people(db):
    return {
        "nobody": None,
        "candidate": make.agent(db, "ada"),
        "proctor": make.agent(db, "paul"),
        "stranger": make.agent(db, "pia"),
        "maintainer": accounts.promote(db, "grace").agent,
    }


def outcome(db, analysis_id, viewer) -> object:
    """The kind of error, or the analysis itself."""
    try:
        return analysis_viewing.get_run(db, analysis_id, viewer).id
    except (Unauthorized, NotForYou, NoSuchSession) as error:
        return type(error)


def test_the_analysis_of_a_session_is_public_after_the_verdict_only(db, people):
    make.evaluation(db)
    registration, claim = make.claim(db, people["candidate"], people["proctor"])
    analysis_id = running.request(db, Subject("session", claim.session.id), 1)

    before = {who: outcome(db, analysis_id, viewer) for who, viewer in people.items()}
    make.submit(db, EXAM, registration.id, people["proctor"], Verdict(True))
    after = {who: outcome(db, analysis_id, viewer) for who, viewer in people.items()}

    assert before == dict.fromkeys(EVERYBODY, NotForYou) | {"nobody": Unauthorized, "maintainer": analysis_id}
    assert after == dict.fromkeys(EVERYBODY, analysis_id)


def test_the_analysis_of_a_released_session_stays_closed(db, people):
    make.evaluation(db)
    registration, claim = make.claim(db, people["candidate"], people["proctor"])
    analysis_id = running.request(db, Subject("session", claim.session.id), 1)

    proctoring.release(db, EXAM, registration.id, people["proctor"])

    seen = {who for who, viewer in people.items() if outcome(db, analysis_id, viewer) == analysis_id}
    assert seen == {"maintainer"}


def test_the_analysis_of_a_class_is_closed_to_its_participants_until_it_has_marks(db, people):
    evaluation(db)
    cohort, (ada, bob) = gathered(db, "ann", "bob")
    ida = require(agents.find_by_name(db, "ida"))
    cohort = joining.start(db, CLASS, cohort.id, ida)
    for speaker, words in (
        (ida, "Begin, please."),
        (ada, "The museum opens at ten."),
        (bob, "The bus leaves at nine."),
    ):
        channel.send(db, CLASS, cohort.session_id or "", speaker.id, words, 10_000)
    cohort = classes.finish(db, CLASS, cohort.id, ida)
    paper = grading.read(db, queue.get(db, sheets.find_job_id(db, cohort.id) or "").data)
    grading.keep(db, paper, grading.think(Panel([]), paper), is_last=False)
    run = require(store.find_newest(db, Subject("cohort", cohort.id)))
    viewers = people | {"participant": ada, "instructor": ida}

    before = {who for who, viewer in viewers.items() if outcome(db, run.id, viewer) == run.id}
    marks = [GivenMark("group/plan", 8.0), GivenMark("1/share", 10.0), GivenMark("2/share", 2.0)]
    make.mark_sheet(db, CLASS, cohort.id, people["proctor"], marks, "Well planned.")
    after = {who for who, viewer in viewers.items() if outcome(db, run.id, viewer) == run.id}

    assert before == {"maintainer"}
    assert after == set(viewers)
