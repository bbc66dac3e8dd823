"""Following a session as it happens: events in order, without gaps or doubles, for those who may read."""

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.hub import EVALUATION, AgentClient, Event, Hub, Reader

MOST_READERS = 100  # opened until every server process has one


def sequences(events: list[Event]) -> list[int]:
    return [event.data["sequence"] for event in events if event.name == "message"]


@pytest.fixture
def ada(hub: Hub) -> AgentClient:
    return hub.agent("ada")


@pytest.fixture
def paul(hub: Hub) -> AgentClient:
    return hub.agent("paul")


@pytest.fixture
def registration_id(ada: AgentClient) -> str:
    return ada.start()


@pytest.fixture
def session_id(paul: AgentClient, registration_id: str) -> str:
    return paul.claim(registration_id)


def test_a_stream_gives_what_was_said_and_then_what_is_said(ada, paul, session_id):
    first = [paul.say(session_id, "Question 1").json(), ada.say(session_id, "Answer 1").json()]

    with Reader(ada, session_id) as reader:
        told = reader.take(2)
        then = [paul.say(session_id, f"Question {number}").json() for number in (2, 3, 4)]
        told += reader.take(3)

    assert reader.answer.status_code == 200
    assert reader.answer.headers["content-type"].startswith("text/event-stream")
    assert [event.name for event in told] == ["message"] * 5
    assert [event.id for event in told] == ["1", "2", "3", "4", "5"]
    senders = [paul.id, ada.id, paul.id, paul.id, paul.id]
    said = [{**message, "sender_agent_id": sender} for message, sender in zip(first + then, senders, strict=True)]
    assert [event.data for event in told] == said


def test_text_of_any_kind_arrives_whole(paul, session_id):
    odd = 'One line\nanother\r\n\r\ndata: not an event\n\nid: 7\n:no comment \u2028 é 😀 \\ " </script>'
    paul.say(session_id, odd)

    with Reader(paul, session_id) as reader:
        assert reader.next().data["content"] == odd


def test_a_long_history_comes_in_order_and_whole(paul, session_id):
    for number in range(450):  # more than two pages of a list
        assert paul.say(session_id, str(number)).status_code == 201

    with Reader(paul, session_id) as reader:
        told = reader.take(450)

    assert sequences(told) == list(range(1, 451))


def test_a_reader_goes_on_after_the_last_event_it_has_seen(ada, paul, session_id):
    for number in range(5):
        paul.say(session_id, str(number))
    with Reader(ada, session_id) as reader:
        seen = reader.take(3)

    with Reader(ada, session_id, headers={"Last-Event-ID": seen[-1].id}) as reader:
        told = reader.take(2)
        paul.say(session_id, "live")
        told += reader.take(1)

    assert sequences(seen + told) == [1, 2, 3, 4, 5, 6]


def test_a_reader_who_comes_and_goes_meets_every_message_once(hub, ada, paul, session_id):
    count = 200
    speaker = threading.Thread(target=lambda: [paul.say(session_id, str(number)) for number in range(count)])
    told: list[Event] = []

    speaker.start()
    while len(told) < count:
        headers = {"Last-Event-ID": told[-1].id} if told else {}
        with Reader(ada, session_id, headers=headers) as reader:
            told += reader.take(min(15, count - len(told)))
    speaker.join()

    assert sequences(told) == list(range(1, count + 1))
    assert [event.data["content"] for event in told] == [str(number) for number in range(count)]


def test_since_takes_a_sequence_or_a_time(ada, paul, session_id):
    said = [paul.say(session_id, str(number)).json() for number in range(4)]

    with Reader(ada, session_id, params={"since": 2}) as by_sequence:
        assert sequences(by_sequence.take(2)) == [3, 4]
    with Reader(ada, session_id, params={"since": said[2]["created_at"]}) as by_time:
        assert sequences(by_time.take(1)) == [4]
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages"
    assert [m["sequence"] for m in ada.get(path, params={"since": 2}).json()["messages"]] == [3, 4]
    assert [m["sequence"] for m in ada.get(path, params={"since": said[2]["created_at"]}).json()["messages"]] == [4]


def test_the_last_event_id_counts_more_than_since(ada, paul, session_id):
    for number in range(4):
        paul.say(session_id, str(number))

    with Reader(ada, session_id, params={"since": 1}, headers={"Last-Event-ID": "3"}) as reader:
        assert sequences(reader.take(1)) == [4]


def test_the_verdict_ends_the_stream(ada, paul, registration_id, session_id):
    paul.say(session_id, "Question")

    with Reader(ada, session_id) as reader:
        told = reader.take(1)
        paul.say(session_id, "Thank you.")
        assert paul.submit(registration_id).status_code == 201
        told += reader.rest()

    assert [event.name for event in told] == ["message", "message", "end"]
    assert sequences(told) == [1, 2]


@pytest.mark.parametrize("ending", ["release", "cancel", "leave"])
def test_every_other_ending_ends_the_stream_too(ada, paul, registration_id, session_id, ending):
    with Reader(paul, session_id) as reader:
        paul.say(session_id, "Question")
        told = reader.take(1)
        if ending == "release":
            paul.post(f"/evaluations/{EVALUATION}/proctor/release", {"registration_id": registration_id})
        elif ending == "cancel":
            ada.post(f"/evaluations/{EVALUATION}/cancel")
        else:
            ada.http.delete("/agents/me")
        told += reader.rest()

    assert [event.name for event in told] == ["message", "end"]


def test_the_stream_of_an_ended_session_gives_everything_and_ends(hub, paul, registration_id, session_id):
    for number in range(3):
        paul.say(session_id, str(number))
    paul.submit(registration_id)

    with Reader(hub.anybody(), session_id) as reader:
        whole = reader.rest()
    with Reader(hub.anybody(), session_id, headers={"Last-Event-ID": "3"}) as reader:
        nothing_new = reader.rest()

    assert [event.name for event in whole] == ["message", "message", "message", "end"]
    assert [event.name for event in nothing_new] == ["end"]


def test_a_message_reaches_readers_of_every_server_process(hub, ada, paul, registration_id, session_id):
    with ExitStack() as open_streams:
        readers = [open_streams.enter_context(Reader(ada, session_id)) for _ in range(8)]
        while hub.processes_behind(readers) < hub.processes and len(readers) < MOST_READERS:
            readers.append(open_streams.enter_context(Reader(ada, session_id)))
        assert hub.processes_behind(readers) == hub.processes

        for number in range(20):  # each over a connection of its own, so that every process takes some
            own = hub.caller(paul.key, {})
            assert own.say(session_id, str(number)).status_code == 201
        paul.submit(registration_id)
        told = [reader.rest() for reader in readers]

    for events in told:
        assert [event.data.get("content") for event in events] == [*map(str, range(20)), None]
        assert events[-1].name == "end"


def test_while_a_session_runs_only_those_who_take_part_and_maintainers_read_it(hub, ada, paul, session_id):
    paul.say(session_id, "Question")
    stranger, maintainer = hub.agent("pia"), hub.maintainer("mary")

    for reader in (ada, paul, maintainer):
        with Reader(reader, session_id) as stream:
            assert stream.answer.status_code == 200
            assert stream.next().data["content"] == "Question"
    assert refusal(stranger, session_id) == (403, "not_for_you")
    assert refusal(hub.caller("viva_wrong", {}), session_id) == (401, "wrong_key")
    assert refusal(hub.anybody(), session_id)[0] == 401


def test_when_a_session_has_ended_everybody_reads_it(hub, paul, registration_id, session_id):
    paul.say(session_id, "Question")
    paul.submit(registration_id)

    for reader in (hub.agent("pia"), hub.anybody()):
        with Reader(reader, session_id) as stream:
            assert [event.name for event in stream.rest()] == ["message", "end"]
    assert refusal(hub.caller("viva_wrong", {}), session_id) == (401, "wrong_key")


def test_an_observable_session_is_open_to_all_while_it_runs(
    hub: Hub, ada: AgentClient, paul: AgentClient, tmp_path: Path
):
    evaluation = hub.evaluation(tmp_path, config={"summary": "In the open.", "observable": True})
    session_id = paul.claim(ada.start(evaluation), evaluation)
    paul.say(session_id, "Question", evaluation)

    with Reader(hub.anybody(), session_id, evaluation) as stream:
        assert stream.next().data["content"] == "Question"


def test_a_stream_of_no_session_is_not_found(hub: Hub, ada: AgentClient):
    assert refusal(ada, "eval_sess_none") == (404, "no_such_session")


def test_a_last_event_id_that_is_none_is_refused(ada, session_id):
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages/stream"

    answer = ada.get(path, headers={"Last-Event-ID": "yesterday"})

    assert (answer.status_code, answer.json()["code"]) == (422, "bad_since")


def refusal(reader: AgentClient, session_id: str) -> tuple[int, str]:
    answer = reader.get(f"/evaluations/{EVALUATION}/sessions/{session_id}/messages/stream")
    return answer.status_code, answer.json()["code"]
