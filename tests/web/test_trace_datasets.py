"""Two analyses side by side, and many traces under one name."""

import json
import re
from typing import Any

import pytest

from tests.traces.analysed import keep_analysis, keep_run
from tests.traces.runs import run
from tests.web.people import main_of
from tests.web.recorded import id_of, keep, post
from tests.web.test_contribute import OWN, sign_in
from viva.agents.model import Agent
from viva.traces import store

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def ada(quiet: Any) -> Agent:
    found: Agent = sign_in(quiet)
    return found


@pytest.fixture
def path(quiet: Any, ada: Agent) -> str:
    """The page of a short run in which the executor uses a tool that it does not have, and the user complains."""
    (trace_id,) = keep(quiet, ada, "refund", tags=("shop",))
    return f"/traces/{trace_id}"


# Two side by side


def test_two_analyses_of_one_trace_are_compared(quiet, path):
    def analyse(db: Any) -> str:
        content = store.find_content(db, id_of(path))
        return keep_analysis(db, id_of(path), content or b"")

    later = quiet.database.write_now(analyse)

    text = main_of(quiet.text("/traces/compare", a=id_of(path), b=later))

    assert "Two analyses of one trace compared" in text
    assert text.count(">same<") >= 5
    assert text.count("Nothing.") == 2


def test_two_traces_are_compared_with_what_only_one_of_them_has(quiet, ada, path):
    good = run("better")
    good["turns"][0]["agent_interactions"][1]["agent_steps"][0]["tool_call"]["tool_name"] = "refund"
    other = quiet.database.write_now(lambda db: keep_run(db, ada, good))

    text = main_of(quiet.text("/traces/compare", a=id_of(path), b=other))

    only_a = text[text.index('id="only-A"') : text.index('id="only-B"')]
    assert "Turn 1: Unauthorized tool" in only_a
    assert "better" in text[text.index('id="scores"') :]


def test_a_comparison_needs_two_that_are_analysed(quiet, ada, path):
    waiting = quiet.client.post("/traces", files={"file": ("a.json", json.dumps(run("new")))}, headers=OWN)

    assert quiet.get("/traces/compare", params={"a": id_of(path)}).status_code == 422
    assert quiet.get("/traces/compare", params={"a": id_of(path), "b": "trace_none"}).status_code == 404
    unfinished = str(waiting.url).partition("?")[0].rpartition("/")[2]
    assert quiet.get("/traces/compare", params={"a": id_of(path), "b": unfinished}).status_code == 409


# Datasets


def test_a_dataset_shows_its_weakest_agent_its_trend_and_what_is_found_most(quiet, ada):
    ids = keep(quiet, ada, "one", "two", dataset="shop")
    quiet.database.write_now(
        lambda db: db.execute("UPDATE traces SET received_at = '2026-10-01T08:00:00Z' WHERE id = ?", [ids[0]])
    )

    text = main_of(quiet.text("/traces/datasets/shop"))

    assert re.search(r"Weakest agent</dt><dd><span[^>]*>executor<", text)
    assert "1 Oct 2026 to" in text
    assert "+0.00" in text
    assert re.search(r"Unauthorized tool</a></th><td>high</td><td>2</td><td>2 of 2</td>", text)


def test_agents_and_findings_of_a_dataset_lead_to_the_trace_that_shows_them(quiet, ada):
    keep(quiet, ada, "one", "two", dataset="shop")

    text = main_of(quiet.text("/traces/datasets/shop"))
    links = re.findall(r'href="(/traces/trace_[^"]+(?:/agents/[^"]+|#findings))"', text)

    assert any(link.endswith("/agents/executor") for link in links)
    assert any(link.endswith("#findings") for link in links)
    assert {quiet.get(link).status_code for link in links} == {200}


def test_a_dataset_shows_the_scores_of_each_role(quiet, ada):
    keep(quiet, ada, "one", dataset="shop")
    quiet.database.write_now(lambda db: db.execute("UPDATE analysis_agents SET role = 'buyer <b>'"))

    text = main_of(quiet.text("/traces/datasets/shop"))

    assert "buyer &lt;b&gt;" in text[text.index('id="roles"') :]


def test_every_dataset_can_be_reached(quiet, ada):
    keep(quiet, ada, *(f"run-{number}" for number in range(32)))
    quiet.database.write_now(lambda db: db.execute("UPDATE traces SET dataset = id"))

    first = quiet.text("/traces")
    more = re.search(r'href="(/traces\?[^"]+)" rel="next">More datasets', first)

    assert more
    found = set(re.findall(r"/traces/datasets/([\w-]+)", first + quiet.text(more[1].replace("&amp;", "&"))))
    assert len(found) == 32


def test_marks_give_the_precision_of_each_kind_and_a_file_of_labels(quiet, ada):
    ids = keep(quiet, ada, "one", "two", "three", dataset="shop")
    for trace_id, is_right in zip(ids, ("yes", "yes", "no"), strict=True):
        place = {"kind": "UNAUTHORIZED_TOOL", "turn_index": "0", "interaction_index": "1", "step_index": "0"}
        post(quiet, f"/traces/{trace_id}/marks", **place, is_right=is_right)

    text = main_of(quiet.text("/traces/datasets/shop"))
    labels = [json.loads(line) for line in quiet.get("/traces/datasets/shop/labels.jsonl").text.splitlines()]

    assert "67%, 2 of 3" in text
    assert sorted(label["is_right"] for label in labels) == [False, True, True]
    assert {label["name"] for label in labels} == {"one", "two", "three"}


def test_a_dataset_of_somebody_else_is_not_there(quiet, ada):
    keep(quiet, quiet.account("bob").agent, "one", dataset="secret")

    assert quiet.get("/traces/datasets/secret").status_code == 404
    assert quiet.get("/traces/datasets/secret?share=example").status_code == 404
    quiet.client.cookies.clear()
    assert quiet.get("/traces/datasets/secret").status_code == 401
