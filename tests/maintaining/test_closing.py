"""Closed evaluations: nobody registers, and what runs ends as usual."""

import pytest

from tests import make
from tests.maintaining.people import actions_in, maintainer
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import proctoring, registering
from viva.exams.handlers.proctored import Verdict
from viva.exams.registering import EvaluationClosed
from viva.maintaining import closing, verifying
from viva.maintaining.closing import ClosedAlready, NotClosed
from viva.maintaining.verifying import OwnAccount, OwnerNeeded


def test_nobody_registers_and_who_runs_ends_as_usual(db):
    make.evaluation(db)
    ada, paul, bob = make.agent(db, "ada"), make.agent(db, "paul"), make.agent(db, "bob")
    started, _ = make.claim(db, ada, paul)
    maintainer(db)

    closing.close(db, "SIP-7", "The questions leaked.")

    with pytest.raises(EvaluationClosed, match="The questions leaked"):
        registering.register(db, "good-manners", bob)
    assert registering.register(db, "good-manners", ada).registration.id == started.id
    assert proctoring.submit(db, "good-manners", started.id, paul, Verdict(True)).passed


def test_it_stays_closed_after_a_sync_until_it_is_reopened(db):
    make.evaluation(db)
    bob = make.agent(db, "bob")
    maintainer(db)
    closing.close(db, "good-manners", "Pause.")
    make.evaluation(db)

    with pytest.raises(EvaluationClosed):
        registering.register(db, "good-manners", bob)
    with pytest.raises(ClosedAlready):
        closing.close(db, "good-manners", "Pause.")
    closing.reopen(db, "good-manners")

    assert registering.register(db, "good-manners", bob).is_new
    with pytest.raises(NotClosed):
        closing.reopen(db, "good-manners")
    assert [action for action in actions_in(db) if action.startswith("evaluation.c") or "reopened" in action] == [
        "evaluation.closed",
        "evaluation.reopened",
    ]


def test_what_is_not_there_cannot_be_closed(db):
    maintainer(db)
    for act in (lambda: closing.close(db, "nothing", "x"), lambda: closing.reopen(db, "nothing")):
        with pytest.raises(NoSuchEvaluation):
            act()


def test_a_maintainer_verifies_others_and_not_itself(db):
    mary = maintainer(db)
    ada = make.agent(db, "ada")

    verifying.verify(db, ada, " Ada's\n house ")

    (owner,) = db.execute("SELECT verified_owner FROM agents WHERE id = ?", [ada.id]).fetchone()
    assert owner == "Ada's house"
    assert actions_in(db)[-1] == "agent.verified"
    with pytest.raises(OwnAccount):
        verifying.verify(db, mary, "Myself")
    with pytest.raises(OwnerNeeded):
        verifying.verify(db, ada, " ")
