"""The channel: who may speak in a session, and what becomes of what they say."""

import pytest

from tests import make
from viva.exams import proctoring, registering
from viva.exams.handlers.proctored import Verdict
from viva.sessions import channel, store
from viva.sessions.channel import EmptyMessage, MessageTooLarge, NotAParticipant, SessionEnded
from viva.sessions.store import NoSuchSession

MOST = 1000


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


@pytest.fixture
def session(db, people):
    return make.claim(db, people["ada"], people["paul"])[1].session


def say(db, session, agent, content="Hello.", evaluation_id="good-manners"):
    return channel.send(db, evaluation_id, session.id, agent.id, content, MOST)


def end_by_verdict(db, session, people):
    make.submit(db, "good-manners", session.registration_id, people["paul"], Verdict(True))


def end_by_release(db, session, people):
    proctoring.release(db, "good-manners", session.registration_id, people["paul"])


def end_by_withdrawal(db, session, people):
    registering.cancel(db, "good-manners", people["ada"])


def end_by_silence(db, session, people):
    make.silence(db, session.id)
    proctoring.end_silent_claims(db)


ENDINGS = [end_by_verdict, end_by_release, end_by_withdrawal, end_by_silence]


@pytest.mark.parametrize(("speaker", "role"), [("ada", "candidate"), ("paul", "proctor")])
def test_a_participant_speaks_in_its_role(db, people, session, speaker, role):
    sent = say(db, session, people[speaker], "Good morning.")

    assert (sent.role, sent.content, sent.sequence) == (role, "Good morning.", 1)
    assert sent.id.startswith("eval_msg_")
    assert store.transcript(db, session.id) == [sent]


def test_nobody_else_speaks(db, people, session):
    with pytest.raises(NotAParticipant) as refused, make.unit(db):
        say(db, session, people["pia"])

    assert refused.value.status == 403
    assert store.transcript(db, session.id) == []
    assert say(db, session, people["ada"]).sequence == 1


@pytest.mark.parametrize("end", ENDINGS)
@pytest.mark.parametrize(
    ("speaker", "error"), [("ada", SessionEnded), ("paul", SessionEnded), ("pia", NotAParticipant)]
)
def test_nobody_speaks_in_an_ended_session(db, people, session, end, speaker, error):
    say(db, session, people["ada"])
    end(db, session, people)

    with pytest.raises(error), make.unit(db):
        say(db, session, people[speaker])

    assert len(store.transcript(db, session.id)) == 1
    assert store.get(db, "good-manners", session.id).message_count == 1


@pytest.mark.parametrize("end", ENDINGS)
def test_what_was_said_stays_after_the_end(db, people, session, end):
    sent = [say(db, session, people["paul"], "Ready?"), say(db, session, people["ada"], "Yes.")]

    end(db, session, people)

    ended = store.get(db, "good-manners", session.id)
    assert store.transcript(db, session.id) == sent
    assert ended.status == "ended"
    assert ended.ended_at is not None
    assert ended.ended_at >= ended.started_at


def test_a_session_is_only_found_in_its_own_evaluation(db, people, session):
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(NoSuchSession):
        say(db, session, people["ada"], evaluation_id="tea-making")


def test_a_session_that_is_not_there_is_not_found(db, people):
    with pytest.raises(NoSuchSession):
        channel.send(db, "good-manners", "eval_sess_x", people["ada"].id, "Hello.", MOST)


@pytest.mark.parametrize("content", ["", " ", "\n\t ", "\u00a0\u2003"])
def test_a_message_needs_some_text(db, people, session, content):
    with pytest.raises(EmptyMessage) as refused:
        say(db, session, people["ada"], content)

    assert refused.value.status == 422
    assert store.read_state(db, session.id) == ("active", 0)


@pytest.mark.parametrize("content", ["a" * 1000, "é" * 500, "🤖" * 250, " x" * 500])
def test_a_message_may_have_as_many_bytes_as_the_hub_takes(db, people, session, content):
    assert say(db, session, people["ada"], content).content == content


@pytest.mark.parametrize("content", ["a" * 1001, "é" * 501, "🤖" * 251])
def test_a_message_is_measured_in_bytes_not_in_characters(db, people, session, content):
    with pytest.raises(MessageTooLarge, match="at most 1000 bytes") as refused:
        say(db, session, people["ada"], content)

    assert refused.value.status == 413
    assert store.read_state(db, session.id) == ("active", 0)


@pytest.mark.parametrize(
    "content",
    ["  spaces at both ends  ", "two\r\nlines\n", "<script>alert(1)</script>", "%s ? :name \\ ' \"", "ça 阿 🤖\u200d❤️"],
)
def test_a_message_is_kept_as_it_was_sent(db, people, session, content):
    say(db, session, people["ada"], content)

    (kept,) = store.transcript(db, session.id)
    assert kept.content == content


def test_a_message_may_belong_to_a_prompt(db, people, session):
    say(db, session, people["ada"], "Good morning.")
    channel.send(db, "good-manners", session.id, people["ada"].id, "Please.", 100, prompt_id="asking")
    channel.send(db, "good-manners", session.id, people["ada"].id, "Thanks.", 100, prompt_id="thanking")

    (found,) = store.list_prompt_messages(db, session.id, "asking")

    assert (found.content, found.prompt_id, found.sequence) == ("Please.", "asking", 2)
    assert [message.prompt_id for message in store.transcript(db, session.id)] == [None, "asking", "thanking"]
    assert store.list_prompt_messages(db, session.id, "asking", since=2) == []


def test_sequences_count_up_from_one_without_gaps(db, people, session):
    spoken = [say(db, session, people[name]).sequence for name in ("paul", "ada", "ada", "paul")]
    with pytest.raises(NotAParticipant), make.unit(db):
        say(db, session, people["pia"])
    with pytest.raises(EmptyMessage), make.unit(db):
        say(db, session, people["ada"], "")

    last = say(db, session, people["ada"]).sequence

    assert [*spoken, last] == [1, 2, 3, 4, 5]
    assert store.get(db, "good-manners", session.id).message_count == 5


def test_each_session_has_sequences_of_its_own(db, people, session):
    say(db, session, people["ada"])
    other = make.claim(db, people["pia"], people["paul"])[1].session

    assert say(db, other, people["pia"]).sequence == 1


def test_speaking_keeps_a_session_alive(db, people, session):
    make.silence(db, session.id, minutes=29)
    before = store.get(db, "good-manners", session.id).active_at

    say(db, session, people["ada"])

    assert store.get(db, "good-manners", session.id).active_at > before


def test_many_who_speak_at_once_get_sequences_without_gaps_and_doubles(database):
    def open_session(db):
        make.evaluation(db)
        ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
        return ada, paul, make.claim(db, ada, paul)[1].session

    ada, paul, session = database.write_now(open_session)

    def speaking(agent, word):
        def speak() -> list[int]:
            return [database.write_now(lambda db: say(db, session, agent, word)).sequence for _ in range(15)]

        return speak

    given = make.together(*(speaking(agent, word) for agent in (ada, paul) for word in "abc"))

    assert sorted(sequence for sequences in given for sequence in sequences) == list(range(1, 91))
    assert all(sequences == sorted(sequences) for sequences in given)
    kept = database.read_now(lambda db: store.transcript(db, session.id))
    assert [message.sequence for message in kept] == list(range(1, 91))


def test_of_speaking_and_ending_at_once_the_transcript_is_whole(database):
    def open_session(db):
        make.evaluation(db)
        ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
        session = make.claim(db, ada, paul)[1].session
        say(db, session, paul)
        return ada, paul, session

    ada, paul, session = database.write_now(open_session)

    def speak() -> int:
        for number in range(1, 200):  # beside what the proctor has said
            try:
                database.write_now(lambda db: say(db, session, ada))
            except SessionEnded:
                return number
        return 200

    def decide() -> None:
        database.write_now(lambda db: make.submit(db, "good-manners", session.registration_id, paul, Verdict(True)))

    spoken, decided = make.together(speak, decide)

    assert decided is None
    assert database.read_now(lambda db: store.read_state(db, session.id)) == ("ended", spoken)
    assert len(database.read_now(lambda db: store.transcript(db, session.id))) == spoken
