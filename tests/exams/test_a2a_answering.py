"""A candidate that is an A2A agent: each message of the proctor gets one reply, in order, or none and a reason."""

from collections.abc import Iterator

import pytest

from tests import make
from tests.adapters.serving import AgentServer, serve_agent
from tests.exams.a2a_working import EXAM, A2aExam, begin_exam, serve_strange
from viva.agents import store as agents
from viva.exams import a2a_addresses, a2a_answering, account_deletion, proctoring, registering, starting
from viva.exams.handlers.proctored import Verdict
from viva.jobs import queue
from viva.jobs.workers import keep_result
from viva.kit.clock import now
from viva.sessions import asking, channel
from viva.sessions import store as sessions


@pytest.fixture
def agent() -> Iterator[AgentServer]:
    with serve_agent(lambda messages: f"{len(messages)}: {messages[-1]['content']}") as server:
        yield server


@pytest.fixture
def exam(db, agent: AgentServer) -> A2aExam:
    return begin_exam(db, agent.url.removeprefix("http://"))


def test_the_agent_answers_what_the_proctor_says(exam: A2aExam, agent: AgentServer):
    asked = exam.say("Hello.", "greeting")

    assert exam.do_all() == ["done"]

    assert exam.transcript() == [("proctor", "Hello."), ("candidate", "1: Hello.")]
    reply = sessions.transcript(exam.db, exam.session.id)[-1]
    assert (reply.sender_agent_id, reply.prompt_id) == (exam.ada.id, "greeting")
    message = agent.asked[0]["params"]["message"]
    assert (message["contextId"], message["messageId"]) == (exam.session.id, asked.id)


def test_messages_that_come_together_are_asked_in_their_order(exam: A2aExam):
    for text in ("One.", "Two.", "Three."):
        exam.say(text)
    assert queue.tally(exam.db)["waiting"] == 1

    assert exam.do_all() == ["done"] * 3

    assert exam.transcript()[3:] == [("candidate", "1: One."), ("candidate", "3: Two."), ("candidate", "5: Three.")]


def test_only_the_proctor_is_answered(exam: A2aExam):
    channel.send(exam.db, EXAM, exam.session.id, exam.ada.id, "I write myself too.", 100)

    assert exam.do_all() == []


def test_a_job_that_runs_again_posts_no_second_reply(exam: A2aExam):
    exam.say("Hello.")
    work, job = exam.work(), exam.take()
    assert job
    question = work.read(exam.db, job.data)
    answer = work.think(question)  # and the worker is killed before it is kept

    exam.db.execute("UPDATE jobs SET due_at = ? WHERE id = ?", [now(), job.id])
    assert exam.do_all() == ["done"]
    with pytest.raises(queue.LeaseLost), make.unit(exam.db):
        keep_result(exam.db, job, work, question, answer)  # the first one was only slow
    assert work.keep(exam.db, question, answer, False) is None  # the schema decides it, also without the lease

    assert exam.transcript() == [("proctor", "Hello."), ("candidate", "3: Hello.")]  # the agent was asked twice


def test_a_busy_agent_is_asked_again(exam: A2aExam, agent: AgentServer):
    agent.busy = 2
    exam.say("Hello.")

    assert exam.do_all() == ["waiting", "waiting", "done"]

    assert exam.transcript()[1:] == [("candidate", "1: Hello.")]
    assert exam.fault() is None
    assert len({each["params"]["message"]["messageId"] for each in agent.asked}) == 1


def test_after_the_last_try_there_is_silence_and_the_next_message_is_asked(exam: A2aExam, agent: AgentServer):
    agent.busy = 5
    exam.say("Hello.")
    exam.say("Are you there?")

    assert exam.do_all() == ["waiting"] * 4 + ["failed", "done"]

    assert exam.transcript()[2:] == [("candidate", "1: Are you there?")]
    assert exam.fault() == "Message 1 got no reply. The page answered with status 503."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "The agent's reply is no message. A message needs some text."),
        ("x" * 1_001, "The agent's reply is no message. A message has at most 1000 bytes."),
        ("a\0b", "The agent's reply has a null character."),
    ],
)
def test_a_reply_that_is_no_message_is_not_posted(db, answer, reason):
    with serve_agent(lambda messages: answer) as server:
        exam = begin_exam(db, server.url.removeprefix("http://"))
        exam.say("Hello.")

        assert exam.do_all()[-1] == "failed"

    assert exam.transcript() == [("proctor", "Hello.")]
    assert exam.fault() == f"Message 1 got no reply. {reason}"


def test_what_an_address_answers_is_told_to_nobody(db):
    with serve_strange(answer=b'{"error": {"code": 1, "message": "the inner secret"}}') as host:
        exam = begin_exam(db, host)
        exam.say("Hello.")
        exam.do_all()

    (job,) = queue.list_jobs(db, "failed", 10, None).items
    assert job.reason == "The agent answered with an error."
    assert exam.fault() == f"Message 1 got no reply. {job.reason}"


def end_by_verdict(exam: A2aExam) -> None:
    channel.send(exam.db, EXAM, exam.session.id, exam.ada.id, "Good morning.", 100)
    make.decide(exam.db, exam.registration, exam.paul)


ENDS = {
    "verdict": end_by_verdict,
    "withdrawn": lambda exam: registering.cancel(exam.db, EXAM, exam.ada),
    "released": lambda exam: proctoring.release(exam.db, EXAM, exam.registration.id, exam.paul),
    "deleted": lambda exam: account_deletion.delete_account(exam.db, exam.ada),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("is_read", [False, True])
def test_nothing_is_said_in_a_session_that_has_ended(exam: A2aExam, end: str, is_read: bool):
    exam.say("Hello.")
    work, job = exam.work(), exam.take()
    assert job
    question = work.read(exam.db, job.data) if is_read else None
    answer = work.think(question)

    ENDS[end](exam)

    said = exam.transcript()
    kept = keep_result(exam.db, job, work, question or work.read(exam.db, job.data), answer)
    assert (kept.status, exam.transcript()) == ("done", said)


def test_a_released_candidate_is_asked_by_the_next_proctor(exam: A2aExam):
    exam.say("Hello.")
    proctoring.release(exam.db, EXAM, exam.registration.id, exam.paul)
    pia = make.agent(exam.db, "pia")
    session = proctoring.claim(exam.db, EXAM, exam.registration.id, pia).session
    exam.db.execute("DELETE FROM jobs")

    channel.send(exam.db, EXAM, session.id, pia.id, "Good evening.", 100)

    assert exam.do_all() == ["done"]
    assert [each.content for each in sessions.transcript(exam.db, session.id)] == ["Good evening.", "1: Good evening."]


def test_a_suspended_candidate_says_nothing(exam: A2aExam, agent: AgentServer):
    agents.suspend(exam.db, exam.ada.id, None, "spam")
    exam.say("Hello.")

    assert exam.do_all()[-1] == "failed"

    assert agent.asked == []
    assert exam.fault() == "Message 1 got no reply. The account of the candidate is suspended."


def test_a_job_that_failed_by_a_fault_of_the_hub_does_not_silence_the_rest(exam: A2aExam):
    exam.say("Hello.")
    exam.say("Are you there?")
    job = exam.take()
    assert job
    queue.fail(exam.db, job, f"{queue.BROKEN_OFF}KeyError: inner details")

    assert a2a_answering.settle_failed(exam.db) == 1
    assert a2a_answering.settle_failed(exam.db) == 0

    assert exam.do_all() == ["done"]
    assert exam.transcript()[2:] == [("candidate", "1: Are you there?")]
    assert exam.fault() == "Message 1 got no reply. It was interrupted by a fault of this hub."


def test_an_agent_is_asked_so_often_on_one_day(exam: A2aExam, monkeypatch):
    monkeypatch.setattr(asking, "MAX_A2A_QUESTIONS_PER_DAY", 2)
    for text in ("One.", "Two.", "Three."):
        exam.say(text)

    assert exam.do_all() == ["done"] * 2

    assert exam.fault() == f"Message 3 got no reply. {asking.TOO_MANY_QUESTIONS}"


def test_the_address_goes_with_the_account(exam: A2aExam):
    exam.say("Hello.")
    exam.do_all()
    make.submit(exam.db, EXAM, exam.registration.id, exam.paul, Verdict(True))
    assert a2a_addresses.find_url(exam.db, exam.registration.id) == f"http://{exam.host}"

    account_deletion.delete_account(exam.db, exam.ada)

    assert a2a_addresses.find_url(exam.db, exam.registration.id) is None


def test_the_address_is_fixed_by_the_start(exam: A2aExam):
    hub = make.HALL
    again = starting.start(exam.db, hub, EXAM, exam.ada, "")

    with pytest.raises(a2a_addresses.StartedWithoutAgent):
        starting.start(exam.db, hub, EXAM, exam.ada, "", a2a_url="https://93.184.216.34/another")

    assert again.registration.id == exam.registration.id
    assert a2a_addresses.find_url(exam.db, exam.registration.id) == f"http://{exam.host}"
