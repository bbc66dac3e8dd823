"""What the owner of a trace does on its page, and that nobody else can."""

import re
from typing import Any

import pytest

from tests.traces.analysed import keep_analysis
from tests.web.people import main_of
from tests.web.recorded import id_of, keep, post
from tests.web.test_contribute import OWN, sign_in
from viva.agents.model import Agent
from viva.traces import marks, sharing, store
from viva.web.routes import router

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


def test_the_owner_chooses_the_parts(quiet, path):
    answer = post(quiet, f"{path}/analyses", **{"part-tool_use": "yes", "part-reasoning": "yes"})

    assert "only tool use, reasoning" in quiet.text(answer.headers["location"])


def test_two_analyses_are_compared_from_the_earlier_to_the_later(quiet, path):
    trace = quiet.database.read_now(lambda db: store.get(db, id_of(path)))
    content = quiet.database.read_now(lambda db: store.find_content(db, trace.id))
    first, later = trace.analysis_id, quiet.database.write_now(lambda db: keep_analysis(db, trace.id, content))

    for shown in (first, later):
        assert f"compare?a={first}&amp;b={later}" in quiet.text(f"{path}?analysis={shown}")


def test_another_trace_to_compare_with_is_chosen_by_its_name(quiet, ada, path):
    (other,) = keep(quiet, ada, "refund", tags=("shop",))
    name = quiet.database.read_now(lambda db: store.get(db, other)).name

    assert f'<option value="{other}">{name}, ' in quiet.text(path)
    assert f'<option value="{id_of(path)}">' not in quiet.text(path)


def test_a_share_link_does_not_lead_to_the_dataset_of_its_owner(quiet, ada):
    (trace_id,) = keep(quiet, ada, "refund", dataset="shop")
    token = quiet.database.write_now(lambda db: sharing.share(db, trace_id, ada.id))
    own = quiet.text(f"/traces/{trace_id}")
    quiet.client.cookies.clear()

    assert "/traces/datasets/shop" in own
    assert "/traces/datasets/" not in main_of(quiet.text(f"/traces/{trace_id}?share={token}"))


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
        (method, route.path.removeprefix("/traces/{trace_id:str}").replace("{agent_id:path}", "executor"))
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
