"""The page of one run: what it answers first, what stands beside the words, and what its owner can do."""

import json
import re
import zlib
from typing import Any

import pytest

from tests.traces.analysed import keep_analysis, keep_run
from tests.traces.runs import run
from tests.web.people import main_of
from tests.web.test_contribute import OWN, sign_in
from tests.web.test_traces import keep
from viva.agents.model import Agent
from viva.analyses import running
from viva.analyses import store as analyses
from viva.analyses.model import AnalysisChoices, Subject
from viva.traces import marks, sharing, store
from viva.web.routes import router

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def quiet(new_site: Any) -> Any:
    return new_site(VIVA_NO_WORKER="1")


@pytest.fixture
def ada(quiet: Any) -> Agent:
    found: Agent = sign_in(quiet)
    return found


@pytest.fixture
def path(quiet: Any, ada: Agent) -> str:
    """The page of a short run in which the executor uses a tool that it does not have, and the user complains."""
    (trace_id,) = keep(quiet, ada, "refund", tags=("shop",))
    return f"/traces/{trace_id}"


def id_of(path: str) -> str:
    return path.rpartition("/")[2]


def post(site: Any, path: str, **fields: str) -> Any:
    return site.client.post(path, data=fields, headers=OWN, follow_redirects=False)


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
    assert re.search(r"CCM no\s+RDM yes\s+Hallucination no\s+Score\s+0\.0", words)


def test_words_are_marked_and_their_note_stands_beside_them(quiet, path):
    text = main_of(quiet.text(path))

    (number,) = re.findall(r"<mark>No, that is wrong\.[^<]*<sup><a href=\"#note-(\d+)\"", text)
    note = text[text.index(f'id="note-{number}"') :]
    assert "Turn 1: the user corrected it" in note[:400]
    assert "drop_table({})" in text


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
    masked = json.dumps([{"kind": "email", "placeholder": "user1@masked.example", "count": 2}])
    quiet.database.write_now(
        lambda db: db.execute("UPDATE traces SET dropped = ?, masked = ? WHERE id = ?", [dropped, masked, id_of(path)])
    )

    text = main_of(quiet.text(path))

    assert "1 part not read" in text
    assert all(words in text for words in ("messages[3].content[0]", "an image", "user1@masked.example"))


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


# What the owner does


def test_the_owner_marks_a_finding_and_takes_the_mark_back(quiet, path):
    finding = {"kind": "UNAUTHORIZED_TOOL", "turn_index": "0", "interaction_index": "1", "step_index": "0"}

    def stored() -> list[bool]:
        found = quiet.database.read_now(lambda db: marks.list_of_trace(db, id_of(path)))
        return [mark.is_right for mark in found]

    wrong = post(quiet, f"{path}/marks", **finding, is_right="no", back="note-3")
    assert (wrong.headers["location"], stored()) == (f"{path}#note-3", [False])
    assert "You marked this as wrong." in quiet.text(path)

    post(quiet, f"{path}/marks", **finding, is_right="yes")
    assert stored() == [True]

    post(quiet, f"{path}/marks", **finding, is_right="")
    assert stored() == []


def test_every_finding_of_the_page_can_be_marked(quiet, path):
    text = quiet.text(path)
    fields = r'name="(\w+)" value="([^"]*)"'
    forms = {
        tuple(re.findall(fields, form))[:4] for form in re.findall(r'<form class="mark-form".*?</form>', text, re.S)
    }

    answers = [post(quiet, f"{path}/marks", **dict(form), is_right="yes").status_code for form in forms]

    assert len(forms) >= 3
    assert set(answers) == {303}


def test_a_mark_on_nothing_is_refused(quiet, path):
    for turn in ("7", "-5", "x", "9" * 40):
        answer = post(quiet, f"{path}/marks", kind="rdm", turn_index=turn, is_right="yes", back="//elsewhere")
        assert answer.status_code == 404


def test_the_owner_analyses_again(quiet, path):
    answer = post(quiet, f"{path}/analyses", fast="yes")

    shown = quiet.text(answer.headers["location"])
    assert "The analysis is running" in shown
    assert "fast" in shown


def test_a_share_link_shows_the_page_without_the_controls_of_its_owner(quiet, path):
    made = post(quiet, f"{path}/share", do="share")
    page = quiet.text(made.headers["location"])
    (link,) = re.findall(r"<code>(http[^<]+share=[^<]+)</code>", page)
    quiet.client.cookies.clear()

    shared = main_of(quiet.text(link))

    assert "Which agent" in shared
    assert not re.findall(r"<form|Delete|Is this wrong|Analyse again", shared)
    inside = re.findall(rf'href="({path}[^"#]+)', shared)
    assert inside
    assert all("share=" in address for address in inside)
    assert {quiet.get(address.replace("&amp;", "&")).status_code for address in inside} == {200}


def test_a_revoked_link_no_longer_works(quiet, path):
    link = post(quiet, f"{path}/share", do="share").headers["location"].partition("#")[0]
    post(quiet, f"{path}/share", do="revoke")
    quiet.client.cookies.clear()

    assert quiet.get(link).status_code == 403


def test_the_owner_changes_tags(quiet, path):
    answer = post(quiet, f"{path}/tags", tags="one, two,, one")

    assert "The tags are saved." in quiet.text(answer.headers["location"])
    assert quiet.database.read_now(lambda db: store.get(db, id_of(path)).tags) == ["one", "two"]
    assert post(quiet, f"{path}/tags", tags="x" * 60).status_code == 422


def test_the_owner_deletes_after_a_question(quiet, path):
    assert "Nobody can restore it." in quiet.text(f"{path}/delete")

    answer = post(quiet, f"{path}/delete")

    assert "The trace was deleted." in quiet.text(answer.headers["location"])
    assert quiet.get(path).status_code == 404


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
    assert re.search(r"Unauthorized tool</th><td>high</td><td>2</td><td>2 of 2</td>", text)


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


# Who may


ROLES = ("owner", "stranger", "nobody", "guest")  # a guest has the share link
ROUTES: dict[tuple[str, str], tuple[int, int, int, int]] = {
    ("GET", ""): (200, 403, 403, 200),
    ("GET", "/agents/executor"): (200, 403, 403, 200),
    ("GET", "/trace.json"): (200, 403, 403, 200),
    ("GET", "/analysis.json"): (200, 403, 403, 200),
    ("GET", "/events"): (200, 403, 403, 200),
    ("GET", "/delete"): (200, 403, 403, 403),
    ("POST", "/analyses"): (303, 403, 303, 303),  # somebody who is not signed in is asked to
    ("POST", "/share"): (303, 403, 303, 303),
    ("POST", "/tags"): (303, 403, 303, 303),
    ("POST", "/marks"): (303, 403, 303, 303),
    ("POST", "/delete"): (303, 403, 303, 303),
}


def test_every_page_and_form_of_a_trace_says_who_may():
    found = {
        (method, route.path.removeprefix("/traces/{trace_id:str}").replace("{agent_id:str}", "executor"))
        for route in router.routes
        if route.path.startswith("/traces/{trace_id:str}")
        for method in route.methods - {"OPTIONS", "HEAD"}
    }

    assert found == ROUTES.keys()


@pytest.mark.parametrize(("method", "part"), sorted(ROUTES))
def test_nobody_reads_or_changes_the_trace_of_another(quiet, ada, path, method, part):
    fields = {
        "kind": "UNAUTHORIZED_TOOL",
        "turn_index": "0",
        "interaction_index": "1",
        "step_index": "0",
        "is_right": "no",
    }
    stored = quiet.database.read_now(lambda db: store.get(db, id_of(path)))
    token = quiet.database.write_now(lambda db: sharing.share(db, stored.id, ada.id))
    shared = quiet.database.read_now(lambda db: store.get(db, stored.id))
    owner = dict(quiet.client.cookies)
    sign_in(quiet, "mallory")
    cookies = {"owner": owner, "stranger": dict(quiet.client.cookies), "nobody": {}, "guest": {}}
    answers = {}
    for role in reversed(ROLES):
        quiet.client.cookies.clear()
        for name, value in cookies[role].items():
            quiet.client.cookies.set(name, value)
        query = {"analysis": stored.analysis_id or ""} | ({"share": token} if role == "guest" else {})
        answer = quiet.client.request(
            method,
            path + part,
            params=query,
            data=fields if method == "POST" else None,
            headers=OWN,
            follow_redirects=False,
        )
        answers[role] = answer.status_code
        if role != "owner":
            assert quiet.database.read_now(lambda db: store.get(db, stored.id)) == shared
            assert quiet.database.read_now(lambda db: marks.list_of_trace(db, stored.id)) == []
            if method == "POST" and answer.status_code == 303:
                assert answer.headers["location"].startswith("/login?next=")

    assert answers == dict(zip(ROLES, ROUTES[method, part], strict=True))
