"""The list of traces and its upload form: for the owner, for visitors, and with files that cannot be read."""

import gzip
import json
from typing import Any

import pytest

from tests.traces.runs import raw, run
from tests.web.people import main_of, next_page
from tests.web.recorded import keep
from tests.web.test_contribute import OWN, sign_in
from viva.agents.model import Agent
from viva.analyses import store as analyses
from viva.analyses.model import Subject
from viva.kit.db import Connection
from viva.traces import examples, store
from viva.web import traces as page

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def ada(quiet: Any) -> Agent:
    found: Agent = sign_in(quiet)
    return found


def upload(site: Any, *files: tuple[str, bytes], **fields: str) -> Any:
    sent = [("file", (name, content)) for name, content in files]
    return site.client.post("/traces", files=sent, data=fields, headers=OWN, follow_redirects=False)


def count(site: Any) -> int:
    def unit(db: Connection) -> int:
        return int(db.execute("SELECT count(*) FROM traces").fetchone()[0])

    number: int = site.database.read_now(unit)
    return number


# Visitors


def test_a_visitor_reads_what_it_is_for_and_how_to_sign_in(quiet):
    text = main_of(quiet.text("/traces"))

    assert "What it is for" in text
    assert 'href="/login?next=%2Ftraces"' in text
    assert "This hub has no example traces." in text


def test_a_visitor_cannot_upload(quiet):
    answer = upload(quiet, ("run.json", raw()))

    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Ftraces")
    assert count(quiet) == 0


def test_a_visitor_opens_examples_and_their_dataset(quiet):
    owner = quiet.account(examples.EXAMPLE_OWNER).agent
    shown = [*keep(quiet, owner, "a good run"), *keep(quiet, owner, "one of many", dataset="shop")]
    (private,) = keep(quiet, owner, "a private run")
    for trace_id in shown:
        quiet.database.write_now(lambda db, trace_id=trace_id: examples.publish(db, trace_id))

    text = main_of(quiet.text("/traces"))

    assert "a private run" not in text
    for link in (f"/traces/{shown[0]}?share=example", "/traces/datasets/shop?share=example"):
        assert f'href="{link}"' in text
        assert quiet.get(link).status_code == 200
    assert quiet.get(f"/traces/{private}?share=example").status_code == 403


def test_a_dataset_with_a_private_trace_is_no_example(quiet):
    owner = quiet.account(examples.EXAMPLE_OWNER).agent
    (shown, _) = keep(quiet, owner, "shown", "private", dataset="shop")
    quiet.database.write_now(lambda db: examples.publish(db, shown))

    assert quiet.get("/traces/datasets/shop?share=example").status_code == 404


# Uploading


def test_one_file_is_stored_and_its_page_says_what_was_read(quiet, ada):
    answer = upload(quiet, ("run.json", raw("refund")), dataset="shop", tags="refunds, slow")
    shown = quiet.text(answer.headers["location"])

    assert answer.status_code == 303
    assert "The trace is stored." in shown
    assert "2 agents, 2 turns, 1 call" in shown
    assert "The analysis is running" in shown
    assert all(words in shown for words in ("shop", "refunds", "slow"))


def test_a_run_without_an_id_is_listed_by_its_words(quiet, ada):
    upload(quiet, ("run.json", json.dumps(run("", id=None)).encode()))

    assert ">Refund order 12345, please.</a>" in quiet.text("/traces")


def test_several_files_are_stored_and_marked_in_the_list(quiet, ada):
    keep(quiet, ada, "an older one")
    lines = b"\n".join(raw(f"line-{number}") for number in range(3))

    answer = upload(quiet, ("a.json", raw("first")), ("b.jsonl.gz", gzip.compress(lines)))
    shown = quiet.text(answer.headers["location"])

    assert "4 traces are stored" in shown
    assert shown.count("new-row") == 4
    assert shown.count("not analysed yet") == 4


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([("run.json", b"{")], "run.json: trace: is not JSON"),
        ([("good.json", raw()), ("bad.json", b'{"turns": 3}')], "bad.json: turns:"),
        ([("notes.jsonl", raw() + b"\n" + b'{"hello": 1}')], "notes.jsonl:2"),
        ([("other.json", b'{"hello": 1}')], "has no form that is known; its fields are hello"),
        ([], "Choose a file with at least one trace first."),
        ([("empty.json", b"")], "Choose a file with at least one trace first."),
        ([("broken.gz", gzip.compress(raw())[:40])], "the archive is damaged"),
    ],
)
def test_a_refusal_shows_its_sentence_and_stores_nothing(quiet, ada, files, sentence):
    answer = upload(quiet, *files)

    assert answer.status_code == 422
    assert answer.text.count(sentence) == 1
    assert 'aria-invalid="true"' in answer.text
    assert count(quiet) == 0


def test_what_a_file_says_is_escaped_in_the_refusal(quiet, ada):
    answer = upload(quiet, (f"{HOSTILE}.json", json.dumps({"turns": [{"agent_interactions": HOSTILE}]}).encode()))

    assert answer.status_code == 422
    assert HOSTILE not in answer.text


def test_a_form_of_another_site_is_refused(quiet, ada):
    answer = quiet.client.post("/traces", files={"file": ("a.json", raw())}, headers={"sec-fetch-site": "cross-site"})

    assert answer.status_code == 403
    assert count(quiet) == 0


def test_a_form_that_is_no_form_is_refused(quiet, ada):
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x", "text/plain"):
        answer = quiet.client.post("/traces", content=b"nonsense", headers=OWN | {"content-type": kind})
        assert answer.status_code in (400, 422), kind

    assert count(quiet) == 0


def test_a_form_that_is_too_large_is_refused_with_the_other_way(quiet, ada):
    answer = upload(quiet, ("large.json", b" " * (16 * 1024 * 1024)))

    assert answer.status_code == 413
    assert "Send larger files with POST /api/v1/traces" in answer.text


def test_an_archive_that_unpacks_to_too_much_is_refused(quiet, ada, monkeypatch):
    monkeypatch.setattr("viva.web.trace_reading.MAX_UNPACKED_BYTES", 1_000)

    answer = upload(quiet, ("many.jsonl.gz", gzip.compress(b"\n".join(raw(str(n)) for n in range(9)))))

    assert answer.status_code == 422
    assert "POST /api/v1/traces" in answer.text


# The list


def test_the_list_shows_scores_and_only_the_own_traces(quiet, ada):
    keep(quiet, ada, "mine")
    bob = quiet.account("bob").agent
    keep(quiet, bob, "of bob")

    text = main_of(quiet.text("/traces"))

    (stored,) = quiet.database.read_now(
        lambda db: store.list_traces(db, store.TraceFilter(ada.id), "-received_at", 5, None).items
    )
    assert f">{stored.overall_score:.2f}<" in text
    assert "of bob" not in text


def test_the_list_is_filtered_and_sorted(quiet, ada):
    keep(quiet, ada, "apple", "berry", tags=("fruit",), dataset="orchard")
    keep(quiet, ada, "carrot")

    def names(**query: str) -> list[str]:
        text = main_of(quiet.text("/traces", **query))
        return sorted((name for name in ("apple", "berry", "carrot") if f">{name}<" in text), key=text.index)

    assert names() == ["carrot", "berry", "apple"]
    assert names(sort="name") == ["apple", "berry", "carrot"]
    assert names(q="ERR") == ["berry"]
    assert names(tag="fruit", sort="name") == ["apple", "berry"]
    assert names(dataset="orchard", sort="-name") == ["berry", "apple"]
    assert names(below="0.5") == names(below="nonsense", q="nothing") == []


def test_an_empty_list_and_a_filter_that_finds_nothing_say_what_to_do(quiet, ada):
    assert "You have no traces yet." in quiet.text("/traces")

    keep(quiet, ada, "one")

    assert "No trace fits these filters." in quiet.text("/traces", q="other")


def test_a_long_list_has_pages(quiet, ada, monkeypatch):
    monkeypatch.setattr(page, "TRACES_PER_PAGE", 2)
    keep(quiet, ada, "a", "b", "c", "d", "e")
    path: str | None = "/traces?sort=name"
    found: list[str] = []
    while path:
        text = quiet.text(path)
        found += [name for name in "abcde" if f">{name}</a>" in main_of(text)]
        path = next_page(text)

    assert found == list("abcde")


def test_names_and_tags_are_escaped(quiet, ada):
    keep(quiet, ada, HOSTILE, tags=(HOSTILE,))

    assert HOSTILE not in quiet.text("/traces")


def test_an_upload_waits_for_its_analysis_in_the_queue(quiet, ada):
    location = upload(quiet, ("run.json", raw())).headers["location"]
    trace_id = location.partition("?")[0].rpartition("/")[2]

    runs = quiet.database.read_now(lambda db: analyses.list_runs(db, Subject("trace", trace_id), 5, None).items)

    assert [one.status for one in runs] == ["waiting"]
