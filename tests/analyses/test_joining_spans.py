"""Spans become traces: those of several requests are one trace, read after a silence, and again when others come."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import make
from tests.engine.intake.test_spans import ASK, DONE, export, genai_run, model, span
from viva.analyses import deleting, joining_spans
from viva.engine.intake import spans as spans_of_file
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.otlp import LOGS, SPANS
from viva.engine.model import Trace
from viva.jobs import queue
from viva.kit.clock import now
from viva.traces import quota, spans, store
from viva.traces.quota import QuotaReached, TraceQuota
from viva.traces.span_documents import join_exports, split_export
from viva.traces.spans import TooManySpans
from viva.traces.store import TraceFilter

FIXTURES = Path(__file__).parent.parent / "fixtures" / "spans"


@pytest.fixture
def ada(db):
    return make.agent(db, "ada")


def send(db, owner, *every: dict[str, Any]) -> None:
    joining_spans.receive(db, owner.id, "otel", split_export(export(*every)).groups, TraceQuota())


def send_events(db, owner, *records: dict[str, Any]) -> None:
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}
    joining_spans.receive(db, owner.id, "otel", split_export(document, LOGS).groups, TraceQuota())


def event(name: str, content: str, at: int) -> dict[str, Any]:
    body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": content}}]}}
    return {"traceId": "run1", "spanId": "m1", "observedTimeUnixNano": str(at), "eventName": name, "body": body}


def fall_silent(db) -> None:
    """As if the last spans had come a while ago."""
    before = now() - timedelta(seconds=10)
    db.execute("UPDATE trace_span_groups SET changed_at = ?", [before])
    db.execute("UPDATE jobs SET due_at = ? WHERE status = 'waiting'", [before])


def join(db) -> None:
    """Do the jobs that are due."""
    work = joining_spans.work(None, TraceQuota())
    while jobs := queue.take_batch(db, 30):
        for job in jobs:
            if job.work == joining_spans.JOIN_WORK:
                task = work.read(db, job.data)
                assert work.keep(db, task, work.think(task), False) is None
            queue.finish(db, job)


def spans_of_run() -> list[dict[str, Any]]:
    return genai_run()["resourceSpans"][0]["scopeSpans"][0]["spans"]


def stored(db, owner) -> list[Any]:
    return store.list_traces(db, TraceFilter(owner.id), "received_at", 50, None).items


def test_spans_of_several_requests_are_one_trace(db, ada):
    for one in spans_of_run():
        send(db, ada, one)
    join(db)
    assert stored(db, ada) == []

    fall_silent(db)
    join(db)

    (trace,) = stored(db, ada)
    document = msgspec.json.decode(store.read_json(db, trace.id))
    assert (trace.form, trace.dataset, trace.turns, trace.calls) == ("spans", "otel", 1, 1)
    assert document["agents"][0]["name"] == "Forecaster"
    assert document["turns"][0]["user_message"] == "Weather in Ulm?"


def test_later_spans_change_the_same_trace_and_it_is_analysed_again(db, ada):
    first, *others = spans_of_run()
    send(db, ada, *others)
    fall_silent(db)
    join(db)
    (before,) = stored(db, ada)

    send(db, ada, first, others[0])
    fall_silent(db)
    join(db)

    (after,) = stored(db, ada)
    assert after.id == before.id
    assert (before.interactions, after.stored_bytes > before.stored_bytes) == (1, True)
    assert db.execute("SELECT count(*) FROM analyses WHERE subject_id = ?", [after.id]).fetchone()[0] == 2


SILENT_SPAN = span("m1", 0, 10, "agent", gen_ai__operation__name="chat")
QUESTION = event("gen_ai.user.message", "Weather in Ulm?", 1)
ANSWER = event("gen_ai.choice", "It rains.", 9)


@pytest.mark.parametrize("comes_first", ["spans", "events"])
def test_spans_and_their_events_are_one_trace_whichever_comes_first(db, ada, comes_first):
    """What came first is read alone: events have words, and a span without words is no trace. What follows completes it."""
    sendings = [lambda: send(db, ada, SILENT_SPAN), lambda: send_events(db, ada, QUESTION, ANSWER)]
    first, second = sendings if comes_first == "spans" else reversed(sendings)
    first()
    fall_silent(db)
    join(db)
    before = [trace.id for trace in stored(db, ada)]
    assert len(before) == (1 if comes_first == "events" else 0)

    second()
    fall_silent(db)
    join(db)

    (trace,) = stored(db, ada)
    assert before in ([], [trace.id])
    (turn,) = msgspec.json.decode(store.read_json(db, trace.id))["turns"]
    assert (turn["user_message"], turn["agent_interactions"][0]["agent_response"]) == ("Weather in Ulm?", "It rains.")


def test_a_recorded_program_is_read_from_two_exporters_as_from_one_file(db, ada):
    document = msgspec.json.decode((FIXTURES / "otel-events.json").read_bytes())
    for signal, dataset in ((LOGS, None), (SPANS, "otel")):
        joining_spans.receive(db, ada.id, dataset, split_export(document, signal).groups, TraceQuota())
    fall_silent(db)
    join(db)

    traces = stored(db, ada)
    read = [msgspec.json.decode(store.read_json(db, trace.id), type=Trace) for trace in traces]
    expected = map(spans_of_file.read, spans_of_file.parts(document))  # there, both are one conversation
    assert answers_of(read) == answers_of(expected)
    assert (len(traces), {trace.dataset for trace in traces}) == (2, {"otel"})


def answers_of(traces: Iterable[Trace]) -> set[tuple[str | None, str, str | None]]:
    return {
        (turn.user_message, act.agent_id, act.agent_response)
        for trace in traces
        for turn in trace.turns
        for act in turn.agent_interactions
    }


def test_events_of_several_requests_are_read_in_the_order_of_their_times_and_once(db, ada):
    earlier, said = event("gen_ai.user.message", "Hello", 1), event("gen_ai.assistant.message", "Hi!", 2)
    later = event("gen_ai.user.message", "Weather in Ulm?", 3)
    for records in ([later, ANSWER], [earlier, said], [later, ANSWER]):  # the last is sent again after a lost answer
        send_events(db, ada, *records)
    send(db, ada, SILENT_SPAN)
    fall_silent(db)
    join(db)

    (trace,) = stored(db, ada)
    turns = msgspec.json.decode(store.read_json(db, trace.id))["turns"]
    assert [turn["user_message"] for turn in turns] == ["Hello", "Weather in Ulm?"]
    assert [turn["agent_interactions"][0]["agent_response"] for turn in turns] == ["Hi!", "It rains."]


def test_spans_that_come_while_the_others_are_read_are_read_later(db, ada):
    send(db, ada, *spans_of_run())
    fall_silent(db)
    work = joining_spans.work(None, TraceQuota())
    (job,) = queue.take_batch(db, 30)
    task = work.read(db, job.data)

    send(db, ada, span("late", 95, 99, "agent"))
    work.keep(db, task, work.think(task), False)
    queue.finish(db, job)

    assert stored(db, ada) == []
    fall_silent(db)
    join(db)
    assert len(stored(db, ada)) == 1


def test_a_run_that_never_falls_silent_is_read_after_a_minute(db, ada):
    send(db, ada, *spans_of_run())
    long_ago = now() - timedelta(minutes=2)
    db.execute("UPDATE trace_span_groups SET waiting_since = ?, changed_at = ?", [long_ago, now()])
    db.execute("UPDATE jobs SET due_at = ?", [long_ago])

    join(db)

    assert len(stored(db, ada)) == 1


def test_spans_without_agents_are_no_trace_and_are_forgotten_after_a_day(db, ada):
    send(db, ada, span("request", 0, 10, http__method="GET"))
    fall_silent(db)
    join(db)

    group = spans.find_group(db, ada.id, "run1")
    assert group is not None
    assert "has no span of a model, a tool or an agent" in (group.reason or "")
    assert spans.forget_unread(db) == 0
    db.execute("UPDATE trace_span_groups SET changed_at = ?", [now() - timedelta(days=2)])
    assert spans.forget_unread(db) == 1
    assert quota.read_usage(db, ada.id).stored_bytes == 0


def test_deleting_a_trace_deletes_its_spans(db, ada):
    send(db, ada, *spans_of_run())
    fall_silent(db)
    join(db)
    (trace,) = stored(db, ada)

    deleting.delete_trace(db, trace.id, ada.id)

    assert db.execute("SELECT count(*) FROM trace_spans").fetchone()[0] == 0
    assert quota.read_usage(db, ada.id) == (0, 0)


def test_spans_count_for_the_quota(db, ada):
    with pytest.raises(QuotaReached):
        joining_spans.receive(db, ada.id, None, split_export(genai_run()).groups, TraceQuota(stored_bytes=10))


def test_spans_of_two_runs_are_parted_and_keep_their_resource():
    other = model("m2", 0, 1, [ASK], [DONE]) | {"traceId": "run2"}
    document = export(model("m1", 0, 1, [ASK], [DONE]), other)
    document["resourceSpans"][0]["resource"] = {"attributes": [{"key": "service.name"}]}

    groups = split_export(document).groups

    assert list(groups) == ["run1", "run2"]
    joined = msgspec.json.decode(join_exports([groups["run2"], groups["run2"]]))
    assert joined["resourceSpans"][0]["resource"] == {"attributes": [{"key": "service.name"}]}
    assert [len(part["scopeSpans"][0]["spans"]) for part in joined["resourceSpans"]] == [1]


def test_a_run_that_never_falls_silent_is_stored_though_spans_come_while_it_is_read(db, ada):
    send(db, ada, *spans_of_run())
    db.execute("UPDATE trace_span_groups SET waiting_since = ?", [now() - timedelta(minutes=2)])
    work = joining_spans.work(None, TraceQuota())
    task = work.read(db, {"owner_id": ada.id, "span_key": "run1"})

    send(db, ada, span("late", 95, 99, "agent"))
    work.keep(db, task, work.think(task), False)

    assert len(stored(db, ada)) == 1
    group = spans.find_group(db, ada.id, "run1")
    assert group is not None
    assert now() - (group.waiting_since or group.changed_at) < timedelta(minutes=1)


def test_a_trace_takes_no_more_spans_than_can_be_read(db, ada, monkeypatch):
    send(db, ada, *spans_of_run())
    monkeypatch.setattr(spans, "MAX_SPANS_BYTES", 1_000)

    with pytest.raises(TooManySpans):
        send(db, ada, *spans_of_run(), *spans_of_run())


def test_many_small_traces_count_for_the_quota(db, ada):
    """Each takes room in several tables, however small its spans are."""
    tiny = {f"run{number}": b"x" for number in range(20)}

    with pytest.raises(QuotaReached):
        joining_spans.receive(db, ada.id, None, tiny, TraceQuota(stored_bytes=5_000))


def test_spans_that_unpack_to_more_than_a_trace_are_refused():
    texts = [letter * 7_000_000 for letter in "abcdef"]
    bombs = [split_export(export(span("m1", 0, 1, "agent", text=text))).groups["run1"] for text in texts]

    with pytest.raises(BadTrace, match="bytes in all its spans"):
        join_exports(bombs)
