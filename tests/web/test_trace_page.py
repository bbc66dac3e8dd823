"""The page of one run: what it answers first, what stands beside the words, and the states of its analysis."""

import json
import re
import zlib
from typing import Any

import pytest

from tests.traces.analysed import keep_run
from tests.traces.runs import run
from tests.web.people import main_of
from tests.web.recorded import id_of, keep
from tests.web.test_contribute import sign_in
from viva.agents.model import Agent
from viva.analyses import running
from viva.analyses import store as analyses
from viva.analyses.model import AnalysisChoices, Subject
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


# What it shows


def test_the_page_answers_three_questions_before_anything_else(quiet, path):
    text = main_of(quiet.text(path))

    answers = text[text.index('class="answers"') : text.index('class="gauges"')]
    assert all(words in answers for words in ("Which agent", "executor", "Which turn", "What to change"))
    assert text.index('class="gauges"') < text.index('id="conversation"')


def test_the_page_has_the_picture_of_the_run(quiet, path):
    text = main_of(quiet.text(path))
    picture = text[text.index('class="picture"') : text.index("</ol>", text.index('class="picture"'))]
    words = re.sub(r"<[^>]+>|\s+", " ", picture)

    assert re.search(r"Turn 1\s+Refund order 12345, please\.\s+Planner\s+\d\.\d\d\s+executor\s+0\.\d\d", words)
    assert re.search(r"Asked again \(CCM\) no\s+Corrected \(RDM\) yes\s+Hallucination no\s+Score\s+0\.0", words)


def test_words_are_marked_and_their_note_stands_beside_them(quiet, path):
    text = main_of(quiet.text(path))

    (number,) = re.findall(r"<mark>No, that is wrong\.[^<]*<sup><a href=\"#note-(\d+)\"", text)
    note = text[text.index(f'id="note-{number}"') :]
    assert "Turn 1: the user corrected it" in note[:400]
    assert "drop_table({})" in text


def test_nothing_speaks_against_an_answer_only_where_nothing_was_found_beside_it(quiet, ada):
    """The user is content with a turn in which the executor used a tool that it does not have."""
    first, second = run()["turns"]
    spoken = [
        {**first, "user_message": "Refund order 12345, please."},
        {**second, "user_message": "Thank you, perfect."},
    ]
    trace_id = quiet.database.write_now(lambda db: keep_run(db, ada, run("content", turns=spoken)))

    text = main_of(quiet.text(f"/traces/{trace_id}"))
    turns = text.split('<article class="turn')[1:]

    assert "No sign that the answer failed, but" in turns[0]
    assert "Nothing speaks against the answer." not in turns[0]
    assert "Nothing speaks against the answer." in turns[1]


def test_every_turn_and_part_has_an_address(quiet, path):
    text = main_of(quiet.text(path))

    anchors = set(re.findall(r'id="(turn-\d+(?:-\w+)?)"', text))
    assert {"turn-1", "turn-1-planner", "turn-1-executor", "turn-2", "turn-2-planner"} <= anchors
    assert all(anchor in text for anchor in re.findall(r'href="#([\w-]+)"', text))


def test_all_links_within_the_page_lead_somewhere(quiet, path):
    text = quiet.text(path)

    ids = set(re.findall(r'id="([^"]+)"', text))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= ids


def test_the_page_of_an_agent_has_its_scores_its_issues_and_its_parts(quiet, path):
    text = main_of(quiet.text(f"{path}/agents/executor"))

    assert all(words in text for words in ("Tool use", "Unauthorized tool", "Called drop_table.", "What to change"))
    assert f'href="{path}#turn-1-executor"' in text
    assert quiet.get(f"{path}/agents/nobody").status_code == 404


@pytest.mark.parametrize("agent_id", ["team/writer", "a/agents/b", "50 %", "…"])
def test_an_agent_has_its_page_whatever_its_id_is(quiet, ada, agent_id):
    document = {
        "turns": [{"user_message": "Hi", "agent_interactions": [{"agent_id": agent_id, "agent_response": "Hello."}]}]
    }
    trace_id = quiet.database.write_now(lambda db: keep_run(db, ada, document))
    (link,) = set(re.findall(rf'href="(/traces/{trace_id}/agents/[^"#]+)"', quiet.text(f"/traces/{trace_id}")))

    assert "Hello." in main_of(quiet.text(link))


def test_what_agents_say_is_escaped_everywhere(quiet, ada):
    document = run(HOSTILE, initial_task=HOSTILE)
    document["agents"][1] |= {"name": HOSTILE, "role": HOSTILE}
    document["turns"][0]["user_message"] = document["turns"][0]["knowledge"] = HOSTILE
    act = document["turns"][0]["agent_interactions"][1]
    act["agent_response"] = HOSTILE
    act["agent_steps"][0] |= {"thought": HOSTILE, "observation": HOSTILE}
    act["agent_steps"][0]["tool_call"] |= {"tool_name": HOSTILE, "error": HOSTILE, "latency_ms": 5}
    act["latency_ms"] = 12
    trace_id = quiet.database.write_now(lambda db: keep_run(db, ada, document, tags=(HOSTILE,), dataset="odd"))

    for page in ("", "/agents/executor", "/delete", f"/../compare?a={trace_id}&b={trace_id}", "/../datasets/odd"):
        assert HOSTILE not in quiet.text(f"/traces/{trace_id}{page}"), page


def test_the_raw_json_is_there(quiet, path):
    trace, analysis = (quiet.get(f"{path}/{name}.json").json() for name in ("trace", "analysis"))

    assert trace["turns"][0]["user_message"] == "Refund order 12345, please."
    assert analysis["interaction_results"][1]["agent_id"] == "executor"


def test_what_was_dropped_and_masked_is_listed(quiet, path):
    dropped = json.dumps([{"path": "messages[3].content[0]", "why": "an image"}])
    found = [("email", "user1@masked.example", 2), ("card", "4502320788301111", 1)]
    masked = json.dumps([{"kind": kind, "placeholder": text, "count": count} for kind, text, count in found])
    quiet.database.write_now(
        lambda db: db.execute("UPDATE traces SET dropped = ?, masked = ? WHERE id = ?", [dropped, masked, id_of(path)])
    )

    text = main_of(quiet.text(path))

    assert "1 part not read" in text
    assert all(words in text for words in ("messages[3].content[0]", "an image"))
    assert re.search(r"user1@masked\.example</code>, 2 times.*4502320788301111</code>, once", text)


def test_a_trace_in_which_nothing_was_masked_says_no_more_than_that(quiet, path):
    assert "Nothing was masked." in main_of(quiet.text(path))


# States of the analysis


def test_a_running_analysis_shows_how_far_it_is_and_a_link_to_look_again(quiet, ada, path):
    analysis_id = quiet.database.write_now(
        lambda db: running.request(db, Subject("trace", id_of(path)), 2, AnalysisChoices())
    )
    quiet.database.write_now(lambda db: analyses.note_progress(db, analysis_id, 1))

    text = main_of(quiet.text(path, analysis=analysis_id))

    assert "1 of 2 turns are done." in text
    assert f'<a href="{path}?analysis={analysis_id}">Look again</a>' in text
    assert "/static/analysis.js" in quiet.text(path, analysis=analysis_id)
    assert "/static/analysis.js" not in quiet.text(path)  # the one that is done is shown meanwhile


def test_a_failed_analysis_says_why(quiet, path):
    analysis_id = quiet.database.write_now(
        lambda db: running.request(db, Subject("trace", id_of(path)), 2, AnalysisChoices())
    )
    quiet.database.write_now(lambda db: analyses.fail(db, analysis_id, "The process died."))

    assert "The analysis failed: The process died." in quiet.text(path, analysis=analysis_id)


def test_an_analysis_in_an_older_form_asks_for_another(quiet, path):
    old = zlib.compress(b'{"overall_score": 1}')
    quiet.database.write_now(
        lambda db: db.execute("UPDATE analyses SET content = ? WHERE subject_id = ?", [old, id_of(path)])
    )

    assert "Analyse the trace again." in quiet.text(path)


def test_the_analysis_of_another_trace_is_not_shown(quiet, ada, path):
    (other,) = keep(quiet, ada, "other")
    analysis_id = quiet.database.read_now(lambda db: store.get(db, other).analysis_id)

    assert quiet.get(path, params={"analysis": analysis_id}).status_code == 404


def test_progress_comes_as_events_until_the_end(quiet, path):
    analysis_id = quiet.database.read_now(lambda db: store.get(db, id_of(path)).analysis_id)

    answer = quiet.get(f"{path}/events", params={"analysis": analysis_id})

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text == 'event: end\ndata: {"turns":2,"turns_done":2}\n\n'
