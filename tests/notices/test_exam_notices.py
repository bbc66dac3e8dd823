"""A candidate learns that a proctor has claimed it and that its exam is decided, at the cost of one statement."""

from tests import make
from tests.web.counting import CountingConnection
from viva.agents.model import Agent
from viva.exams import announcing, proctoring
from viva.exams.handlers.proctored import Verdict
from viva.kit.actors import Actor
from viva.kit.db import Connection
from viva.notices import store
from viva.notices.model import Notice


def notices_of(db: Connection, agent: Agent) -> dict[str, Notice]:
    return {notice.event: notice for notice in store.list_notices(db, agent.id, None, 50, None).items}


def test_a_candidate_is_notified_of_its_claim_and_of_its_result(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, claim = make.claim(db, ada, paul)

    claimed = notices_of(db, ada)["exam.claimed"]
    assert claimed.subject == "A proctor waits for you: Good manners"
    assert claimed.link == f"/sessions/{claim.session.id}"
    assert claimed.data["registration_id"] == started.id

    result = make.submit(db, "good-manners", started.id, paul, Verdict(False, score=3))
    decided = notices_of(db, ada)["exam.decided"]
    assert (decided.subject, decided.link) == ("Not passed: Good manners", f"/evaluations/result/{result.id}")
    assert decided.data == {"evaluation_id": "good-manners", "result_id": result.id, "passed": False, "score": 3}
    assert notices_of(db, paul) == {}


def test_a_claim_and_a_verdict_take_one_more_statement_each(db, monkeypatch):
    make.evaluation(db)
    paul = make.agent(db, "paul")

    def statements(name: str) -> list[int]:
        told: list[str] = []
        registration = make.registration(db, make.agent(db, name))
        proctoring.claim(CountingConnection(db, told), "good-manners", registration.id, paul)
        claimed = len(told)
        make.submit(CountingConnection(db, told), "good-manners", registration.id, paul, Verdict(True))
        return [claimed, len(told) - claimed]

    statements("first")  # what is read once
    with_notices = statements("ada")
    monkeypatch.setattr(announcing, "notify", lambda *_: None)
    assert [count + 1 for count in statements("pia")] == with_notices


def test_nobody_is_notified_of_a_result_that_its_own_answer_has(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, _ = make.claim(db, ada, paul)

    db.actor = Actor("api", account_id=ada.id)  # as when its own request is decided at once
    make.submit(db, "good-manners", started.id, paul, Verdict(True))

    assert notices_of(db, ada).keys() == {"exam.claimed"}
