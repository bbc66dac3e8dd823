"""Stored traces: what is kept of a run, how runs are listed, and what an account may store."""

import msgspec
import pytest

from tests import make
from tests.traces import runs
from viva.analyses import deleting
from viva.contributions import account_deletion
from viva.kit.db import NeedsThread
from viva.kit.idempotency import KeyReused
from viva.traces import quota, sharing, store
from viva.traces.model import BadDataset, BadTags, check_dataset, check_tags
from viva.traces.quota import QuotaReached, TraceQuota
from viva.traces.reading import read_trace
from viva.traces.store import TraceFilter

TRACE_TABLES = ("traces", "trace_texts", "trace_tags", "trace_marks", "trace_spans", "trace_span_groups", "analyses")


@pytest.fixture
def ada(db):
    return make.agent(db, "ada")


def names(db, chosen: TraceFilter, sort: store.TraceSort = "received_at") -> list[str]:
    return [trace.name for trace in store.list_traces(db, chosen, sort, 50, None).items]


def test_a_trace_is_kept_as_it_was_read_with_its_counts(db, ada):
    (taken,) = runs.upload(db, ada, "refund", dataset="support")

    stored = store.get(db, taken.id)

    assert stored.id.startswith("trace_")
    assert (stored.owner_id, stored.name, stored.dataset, stored.form) == (ada.id, "refund", "support", "native")
    assert (stored.agents, stored.turns, stored.interactions, stored.calls) == (2, 2, 3, 1)
    assert (stored.dropped, stored.masked, stored.overall_score) == ([], [], None)
    document = msgspec.json.decode(store.read_json(db, taken.id))
    assert document["turns"][1]["user_message"] == "No, that is wrong. You refunded the wrong order."


def test_an_address_is_stored_as_its_placeholder_which_is_listed(db, ada):
    new = read_trace(runs.raw(initial_task="Write to ada@example.org"), b"key of the hub")
    trace_id = store.add(db, ada.id, new, TraceQuota())

    (masked,) = store.get(db, trace_id).masked
    task = msgspec.json.decode(store.read_json(db, trace_id))["initial_task"]
    assert (masked["kind"], masked["count"]) == ("email", 1)
    assert task == f"Write to {masked['placeholder']}" != "Write to ada@example.org"


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"id": "run-7"}, "run-7"),
        ({"initial_task": "Refund\n order 12"}, "Refund order 12"),
        ({"initial_task": " "}, "Where is order 12?"),
        ({"initial_task": "x" * 500}, "x" * 79 + "…"),
    ],
)
def test_a_run_without_an_id_is_named_by_its_first_words(document, name):
    turns = [{"agent_interactions": []}, {"user_message": "Where is order 12?", "agent_interactions": []}]

    assert read_trace(msgspec.json.encode(document | {"turns": turns}), None).name == name


def test_a_name_from_the_words_is_masked():
    document = {"turns": [{"user_message": "I am ada@firm.de", "agent_interactions": []}]}

    name = read_trace(msgspec.json.encode(document), b"key of the hub").name

    assert name.startswith("I am ")
    assert "ada@firm.de" not in name


def test_null_characters_are_no_problem(db, ada):
    new = read_trace(runs.raw("a\0b", session_metadata={"tags": ["x"]}), None)

    trace_id = store.add(db, ada.id, new, TraceQuota())

    assert store.get(db, trace_id).name == "a\ufffdb"


def test_traces_are_filtered_by_dataset_tag_form_and_name(db, ada):
    runs.upload(db, ada, "one", dataset="first")
    runs.upload(db, ada, "two")
    store.add(db, ada.id, read_trace(runs.raw("three"), None, ["slow"]), TraceQuota(), "first")
    runs.upload(db, make.agent(db, "bob"), "foreign", dataset="first")

    assert names(db, TraceFilter(ada.id)) == ["one", "two", "three"]
    assert names(db, TraceFilter(ada.id, dataset="first")) == ["one", "three"]
    assert names(db, TraceFilter(ada.id, tag="slow")) == ["three"]
    assert names(db, TraceFilter(ada.id, form="langfuse")) == []
    assert names(db, TraceFilter(ada.id, q="TW")) == ["two"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("received_at", ["b", "a", "c"]),
        ("-received_at", ["c", "a", "b"]),
        ("name", ["a", "b", "c"]),
        ("-name", ["c", "b", "a"]),
        ("overall_score", ["c", "a", "b"]),
        ("-overall_score", ["b", "a", "c"]),
    ],
)
def test_every_sort_order_goes_on_from_page_to_page(db, ada, sort, expected):
    first, second, _ = runs.upload(db, ada, "b", "a", "c")
    store.note_analysis(db, first.id, "analysis_1", 0.9)
    store.note_analysis(db, second.id, "analysis_2", 0.5)

    seen, cursor = [], None
    for _ in range(3):
        page = store.list_traces(db, TraceFilter(ada.id), sort, 1, cursor)
        seen += [trace.name for trace in page.items]
        cursor = page.next_cursor

    assert seen == expected
    assert cursor is None


def test_an_older_analysis_does_not_replace_the_score_of_a_newer_one(db, ada):
    (taken,) = runs.upload(db, ada, "one")

    store.note_analysis(db, taken.id, "analysis_2", 0.9)
    store.note_analysis(db, taken.id, "analysis_1", 0.1)

    assert store.get(db, taken.id).overall_score == 0.9


def test_the_quota_counts_what_is_stored_and_what_is_deleted(db, ada):
    limits = TraceQuota(traces=2)
    first, _ = runs.upload(db, ada, "one", "two", quota=limits)

    with pytest.raises(QuotaReached):
        runs.upload(db, ada, "three", quota=limits)
    deleting.delete_trace(db, first.id, ada.id)
    runs.upload(db, ada, "three", quota=limits)

    assert quota.read_usage(db, ada.id).traces == 2


def test_the_quota_counts_bytes(db, ada):
    with pytest.raises(QuotaReached):
        runs.upload(db, ada, "one", quota=TraceQuota(stored_bytes=10))


def test_a_repeated_upload_gives_the_same_ids_and_another_body_is_refused(db, ada):
    first = runs.upload(db, ada, "one", "two", key="key")

    assert runs.upload(db, ada, "one", "two", key="key") == first
    assert len(runs.upload(db, ada, "one", "two", "three", key="key")) == 3
    with pytest.raises(KeyReused):
        runs.upload(db, ada, "one", "other", key="key")
    assert quota.read_usage(db, ada.id).traces == 3


def test_only_the_owner_and_the_share_link_open_a_trace(db, ada):
    (taken,) = runs.upload(db, ada, "one")
    bob = make.agent(db, "bob")

    token = sharing.share(db, taken.id, ada.id)

    assert sharing.get_visible(db, taken.id, ada.id).id == taken.id
    assert sharing.get_visible(db, taken.id, None, token).id == taken.id
    with pytest.raises(sharing.NotYourTrace):
        sharing.get_visible(db, taken.id, bob.id)
    with pytest.raises(sharing.NotYourTrace):
        sharing.get_visible(db, taken.id, None, "wrong")
    with pytest.raises(sharing.OwnersOnly):
        sharing.share(db, taken.id, bob.id)


def test_a_revoked_or_replaced_link_opens_nothing(db, ada):
    (taken,) = runs.upload(db, ada, "one")
    replaced = sharing.share(db, taken.id, ada.id)
    token = sharing.share(db, taken.id, ada.id)

    with pytest.raises(sharing.NotYourTrace):
        sharing.get_visible(db, taken.id, None, replaced)
    sharing.revoke(db, taken.id, ada.id)
    with pytest.raises(sharing.NotYourTrace):
        sharing.get_visible(db, taken.id, None, token)


def test_deleting_a_trace_or_an_account_leaves_no_row(db, ada):
    one, _ = runs.upload(db, ada, "one", "two")
    store.set_tags(db, store.get(db, one.id), ("slow",))

    deleting.delete_trace(db, one.id, ada.id)
    assert count(db, "analyses") == 1
    deleting.delete_of_account(db, ada.id)

    assert [count(db, table) for table in (*TRACE_TABLES, "trace_usage")] == [0] * 8


def count(db, table: str) -> int:
    return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_old_traces_are_deleted_and_new_ones_stay(db, ada):
    old, _ = runs.upload(db, ada, "old", "new")
    db.execute("UPDATE traces SET received_at = '2020-01-01T00:00:00.000000Z' WHERE id = ?", [old.id])

    assert deleting.delete_old(db, 30) == 1
    assert names(db, TraceFilter(ada.id)) == ["new"]


def test_a_long_trace_is_not_opened_on_the_event_loop(db, ada):
    (short,) = runs.upload(db, ada, "short")
    long = store.add(db, ada.id, read_trace(runs.raw("long", initial_task="a" * 100_000), None), TraceQuota())
    db.is_on_loop = True

    assert store.read_json(db, short.id)
    with pytest.raises(NeedsThread):
        store.read_json(db, long)


@pytest.mark.parametrize("name", ["", "-x", "a b", "ä", "x" * 101, "a/b"])
def test_a_name_that_cannot_be_a_dataset_is_refused(name):
    with pytest.raises(BadDataset):
        check_dataset(name)


@pytest.mark.parametrize("tags", [["a,b"], [""], ["x" * 51], [str(number) for number in range(21)]])
def test_bad_tags_are_refused(tags):
    with pytest.raises(BadTags):
        check_tags(tags)


def test_very_many_traces_of_a_deleted_account_are_deleted_by_a_sweep(db, ada, monkeypatch):
    monkeypatch.setattr(store, "TRACES_DELETED_WITH_ACCOUNT", 2)
    first, *_ = runs.upload(db, ada, "one", "two", "three")
    sharing.share(db, first.id, ada.id)

    account_deletion.delete_account(db, ada)
    left = count(db, "traces")
    swept = [deleting.delete_left_behind(db) for _ in range(2)]

    assert (left, swept) == (1, [1, 0])
    assert [count(db, table) for table in (*TRACE_TABLES, "trace_usage")] == [0] * 8
