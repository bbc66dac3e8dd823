"""Maintainers review contributions on pages: the queue, the review, its evidence and its decisions."""

import re
from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from tests.contributions import submitted
from tests.web.people import main_of, over_all_pages
from tests.web.test_contribute import OWN, sign_in
from viva.contributions import comments, revisions, store
from viva.contributions.model import Contribution, GateOutcome, Validation, ValidationProblem
from viva.kit.clock import now

QUEUE = "/evaluations/contribute/review"
HOSTILE = "<img src=x onerror=alert(1)>[press](javascript:alert(1))"
DECISIONS = {
    "approve": {"way": "merge", "notes": "Well done.", "gate_ticked": "1"},
    "request-changes": {"feedback": "Name the cup."},
    "reject": {"reason": "There is one like it."},
}
TEXTS = {"approve": "notes", "request-changes": "feedback", "reject": "reason"}


# What the schema wants of a contribution in this state.
STATE_VALUES = {"rejected": {"rejection_reason": "No."}}


def add(site: Any, name: str = "Tea making", **changes: Any) -> Contribution:
    values = STATE_VALUES.get(changes.get("status", ""), {}) | changes
    found: Contribution = site.database.write_now(lambda db: submitted.submission(db, name, **values))
    return found


def stored(site: Any, contribution: Contribution) -> Contribution:
    found: Contribution = site.database.read_now(lambda db: store.get(db, contribution.id))
    return found


def put_gate(site: Any, contribution: Contribution, status: str, *outcomes: GateOutcome) -> None:
    site.database.write_now(lambda db: submitted.gate(db, contribution, status, *outcomes))


def here(contribution: Contribution) -> str:
    return f"{QUEUE}/{contribution.id}"


def send(site: Any, contribution: Contribution, action: str, **fields: str) -> Any:
    path = f"{here(contribution)}/{action}"
    fields = {"revision": str(contribution.revision)} | fields  # as the page's own form sends it
    return site.client.post(path, data=fields, headers=OWN, follow_redirects=False)


def names_in(page: str) -> list[str]:
    return re.findall(rf'<h3><a href="{QUEUE}/[^"]+">([^<]+)</a>', page)


@pytest.mark.parametrize("role", ["nobody", "stranger", "contributor"])
def test_only_maintainers_see_or_change_a_review(site, role):
    viewer = sign_in(site, role) if role != "nobody" else None
    sent = add(site, contributor_id=viewer.id if viewer and role == "contributor" else None)

    for path in (QUEUE, here(sent), f"{QUEUE}/eval_contrib_1"):
        answer = site.client.get(path, follow_redirects=False)
        assert answer.status_code == (303 if role == "nobody" else 403), path
        assert "Tea making" not in answer.text
    for action, fields in {**DECISIONS, "comment": {"text": "Hm."}, "gate": {}, "try": {}}.items():
        answer = send(site, sent, action, **fields, confirmed="1")
        assert answer.status_code == (303 if role == "nobody" else 403), action
        assert answer.headers.get("location", "/login").startswith("/login")

    assert stored(site, sent) == sent
    assert site.database.read_now(lambda db: comments.list_comments(db, sent.id)) == []


def test_who_signs_in_first_comes_back_to_the_review(site):
    sent = add(site)

    answer = site.client.get(here(sent), follow_redirects=False)

    assert answer.headers["location"] == f"/login?next=%2Fevaluations%2Fcontribute%2Freview%2F{sent.id}"


def test_a_form_of_another_site_decides_nothing(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site)

    answer = site.client.post(
        f"{here(sent)}/reject", data={"reason": "x", "confirmed": "1"}, headers={"sec-fetch-site": "cross-site"}
    )

    assert answer.status_code == 403
    assert stored(site, sent).status == "submitted"


def test_a_page_and_an_action_that_do_not_exist(site):
    sign_in(site, "mia", is_maintainer=True)

    assert site.get(f"{QUEUE}/eval_contrib_1").status_code == 404
    assert send(site, add(site), "publish").status_code == 404


def test_opening_a_submission_begins_its_review_once(site):
    mia = sign_in(site, "mia", is_maintainer=True)
    sent = add(site)

    page = site.text(here(sent))
    opened = stored(site, sent)
    site.text(here(sent))

    assert '<span class="badge under_review">Under review</span>' in page
    assert (opened.status, opened.reviewed_by) == ("under_review", mia.id)
    assert stored(site, sent) == opened
    assert "The gate is running" in page
    events = "SELECT count(*) FROM events WHERE action = 'contribution.opened'"
    assert site.database.read_now(lambda db: db.execute(events).fetchone()[0]) == 1


def test_the_queue_has_what_awaits_a_review_with_its_age(site):
    sign_in(site, "mia", is_maintainer=True)
    for name, status in {"Tea": "submitted", "Jam": "under_review", "Ham": "rejected", "Dam": "draft"}.items():
        add(site, name, status=status, submitted_at=now() - timedelta(days=3, minutes=len(name + status)))

    page = site.text(QUEUE)

    assert names_in(page) == ["Jam", "Tea"]  # the longest waiting first
    assert page.count("waiting for 3 days") == 2
    assert "2 submissions" in page


def test_the_queue_is_filtered_by_status_contributor_and_days(site):
    sign_in(site, "mia", is_maintainer=True)
    add(site, "Old tea", submitted_at=now() - timedelta(days=40))
    add(site, "Fresh tea", contributor_name="Zoë <Q>")
    add(site, "Bad tea", status="rejected", reviewed_at=now())
    today, last_month = f"{now():%Y-%m-%d}", f"{now() - timedelta(days=30):%Y-%m-%d}"

    assert names_in(site.text(QUEUE, status="rejected")) == ["Bad tea"]
    assert names_in(site.text(QUEUE, contributor="zoë")) == ["Fresh tea"]
    assert names_in(site.text(QUEUE, since=last_month)) == ["Fresh tea"]
    assert names_in(site.text(QUEUE, until=last_month)) == ["Old tea"]
    assert names_in(site.text(QUEUE, since=today, until=today)) == ["Fresh tea"]
    assert names_in(site.text(QUEUE, since="yesterday", status="draft", offset="x")) == ["Old tea", "Fresh tea"]
    assert names_in(site.text(QUEUE, since="0001-01-01", until="9999-12-31")) == ["Old tea", "Fresh tea"]
    assert "No submission matches" in site.text(QUEUE, contributor="nobody")
    assert 'value="zoë"' in site.text(QUEUE, contributor="zoë")


def test_the_pages_of_a_filtered_queue_have_each_submission_once(site, monkeypatch):
    sign_in(site, "mia", is_maintainer=True)
    monkeypatch.setattr("viva.web.reviews.SUBMISSIONS_PER_PAGE", 2)
    for number in range(5):
        add(site, f"Tea {number}", contributor_name="Zoë & Co")
    add(site, "Ham")

    found = over_all_pages(site, f"{QUEUE}?contributor=Zo%C3%AB+%26+Co", f"{QUEUE}/")

    assert found == [f"Tea {number}" for number in range(5)]
    assert "There are no more submissions." in site.text(QUEUE, offset="9999999999999")


def test_an_empty_queue_says_so(site):
    sign_in(site, "mia", is_maintainer=True)

    assert "Nothing awaits a review." in site.text(QUEUE)


def test_the_review_shows_what_was_proposed_and_by_whom(site):
    sign_in(site, "mia", is_maintainer=True)
    ada = site.account("ada").agent
    problems = [ValidationProblem("config.max_score", "INVALID_CONFIG", "It is too high.", "Try 5.")]
    sent = add(site, contributor_id=ada.id, contributor_name="ada", forked_from="good-manners")
    site.database.write_now(lambda db: store.put_validation(db, sent.id, Validation(True, [], problems)))

    page = main_of(site.text(here(sent)))

    assert 'by <a class="name" href="/u/ada">ada</a> (ada@example.org)' in page
    assert '<a href="/evaluations/good-manners">' in page
    assert "No errors" in page
    assert '<strong>Maximum mark.</strong> It is too high. <span class="suggestion">Try 5.</span>' in page
    assert '<span class="s-key">name</span>' in page
    assert "Boil water." in page  # maintainers see the exemplars
    assert "This is the first submission." in page


def test_a_second_submission_shows_what_changed(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, submissions=2, revision=2)

    def keep(db: Any) -> None:
        before = structs.replace(sent, description="Old <b>words</b>.", revision=1, submissions=1)
        revisions.add(db, before, None, "Ada")
        revisions.mark_submitted(db, before)

    site.database.write_now(keep)
    page = main_of(site.text(here(sent)))

    assert '<span class="hidden">Removed: </span>-Old &lt;b&gt;words&lt;/b&gt;.' in page
    assert '<span class="hidden">Added: </span>+Whether an agent can make tea.' in page
    assert "This is the first submission." not in page


GATES = {
    "passed": ("No agent that knows nothing passes", ["confirmed"]),
    "not_checked": ("Check by hand", ["gate_ticked", "confirmed"]),
    None: ("has not looked at this revision", ["gate_ticked", "confirmed"]),
    "running": ("The gate is running", []),
    "failed": ("Request changes instead", []),
}


@pytest.mark.parametrize("status", GATES)
def test_the_gate_decides_which_approval_is_offered(site, status):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")
    if status:
        put_gate(site, sent, status, GateOutcome("constant", 3, 1, "ok", "It said <b>no</b>."))
    text, ticks = GATES[status]

    page = main_of(site.text(here(sent)))
    form = page[page.index("<summary data-approve>Approve") : page.index("<summary>Request changes")]

    assert text in page
    assert re.findall(r'type="checkbox" name="(\w+)"', form) == ticks
    assert ("It said &lt;b&gt;no&lt;/b&gt;." in page) == (status in ("passed", "not_checked", "failed"))
    answer = send(site, sent, "approve", way="merge", confirmed="1", notes="Mine")
    assert answer.status_code == (303 if status == "passed" else 409)
    assert stored(site, sent).status == ("merged" if status == "passed" else "under_review")
    if ticks == ["gate_ticked", "confirmed"]:
        assert "Confirm that you have checked it yourself." in answer.text
        assert send(site, sent, "approve", way="merge", confirmed="1", gate_ticked="1").status_code == 303
        assert stored(site, sent).status == "merged"


@pytest.mark.parametrize("status", GATES)
def test_the_gate_is_run_again_by_a_button(new_site, status):
    site = new_site(VIVA_NO_WORKER="1")  # so that the gate stays as it is
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")
    if status:
        put_gate(site, sent, status, GateOutcome("constant", 3, 3, "error", "It said no."))
    button = f'<form action="{here(sent)}/gate#gate" method="post"><button>Run the gate {"again" if status else "now"}<'

    assert (button in site.text(here(sent))) == (status != "running")
    answer = send(site, sent, "gate")

    if status == "running":
        assert answer.status_code == 409
        assert "The anti-gaming gate is still running for this revision." in answer.text
    else:
        assert (answer.status_code, answer.headers["location"]) == (303, f"{here(sent)}?checking=1#gate")
    page = site.text(here(sent), checking="1")
    assert "The gate runs again for this revision." in page
    assert 'data-gate="running"' in page
    assert "The gate is running since" in page
    assert "Wait until the gate has ended." in page
    assert "It said no." not in page
    assert "/gate#gate" not in page


@pytest.mark.parametrize("status", ["draft", "rejected"])
def test_a_gate_is_not_run_again_after_the_review(site, status):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status=status)

    assert "/gate#gate" not in site.text(here(sent))
    assert send(site, sent, "gate").status_code == 409


def test_why_the_gate_checked_nothing_is_told(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")
    put_gate(site, sent, "not_checked", GateOutcome("all", 0, 0, "not_checked", "There is no <judge>."))

    page = main_of(site.text(here(sent)))

    assert '<p class="small">There is no &lt;judge&gt;.</p>' in page
    assert "<strong>Not checked.</strong> Check by hand" in page
    assert "<table" not in page


def test_a_gate_that_checked_a_part_says_so(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")
    put_gate(site, sent, "not_checked", GateOutcome("constant", 3, 0, "ok", "It did not pass."))

    assert "<strong>Not all of it is checked.</strong> Check by hand" in site.text(here(sent))


@pytest.mark.parametrize("action", DECISIONS)
def test_a_decision_needs_its_confirmation_and_keeps_its_texts(site, action):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")

    answer = send(site, sent, action, **DECISIONS[action])

    assert answer.status_code == 422
    assert "Tick the box to confirm your decision. Nothing was changed." in answer.text
    assert f">\n{DECISIONS[action][TEXTS[action]]}</textarea>" in answer.text
    assert answer.text.count('<details name="decision" open>') == 1
    assert ('name="gate_ticked" value="1" required checked' in answer.text) == (action == "approve")
    assert stored(site, sent) == sent


OUTCOMES = {
    "approve": ("merged", "The contribution is approved."),
    "request-changes": ("draft", "went back to its contributor"),
    "reject": ("rejected", "The contribution is rejected."),
}


@pytest.mark.parametrize("action", DECISIONS)
def test_a_confirmed_decision_is_stored_and_told(site, action):
    mia = sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")

    answer = send(site, sent, action, **DECISIONS[action], confirmed="1")
    after = stored(site, sent)
    status, notice = OUTCOMES[action]

    assert (after.status, after.reviewed_by) == (status, mia.id)
    assert DECISIONS[action][TEXTS[action]] in (after.review_notes, after.rejection_reason)
    assert notice in site.text(answer.headers["location"])
    page = site.text(here(sent))
    assert '<details name="decision"' not in page
    assert f"<p>{DECISIONS[action][TEXTS[action]]}</p>" in page
    if action == "approve":
        assert f'<a href="/evaluations/tea-making">SIP-{after.sip_number}</a>' in page
        assert site.get("/evaluations/tea-making").status_code == 200


def test_who_decides_too_late_keeps_the_text(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="rejected", rejection_reason="No.")

    answer = send(site, sent, "request-changes", feedback="A long <b>letter</b>.", confirmed="1")

    assert answer.status_code == 409
    assert "A long &lt;b&gt;letter&lt;/b&gt;." in answer.text
    assert stored(site, sent) == sent


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("approve", {"way": "merge", "notes": "x" * 5_001, "gate_ticked": "1"}),
        ("approve", {"way": "branch", "notes": "Mine", "gate_ticked": "1"}),  # the hub has no repository
        ("request-changes", {"feedback": " "}),
        ("reject", {"reason": "x" * 5_001}),
        ("comment", {"text": "Kept words.", "field": "secrets"}),
        ("comment", {"text": "", "field": "name"}),
    ],
)
def test_a_refused_form_is_shown_again_and_changes_nothing(site, action, fields):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review")

    answer = send(site, sent, action, **fields, confirmed="1")

    assert answer.status_code in (409, 422)
    assert 'role="alert"' in answer.text
    assert next(iter({**fields, "way": ""}.values())).strip() in answer.text
    assert stored(site, sent) == sent
    assert site.database.read_now(lambda db: comments.list_comments(db, sent.id)) == []


def test_a_comment_is_pinned_to_a_part_of_the_config(site):
    sign_in(site, "mia", is_maintainer=True)
    sent = add(site, status="under_review", config={"summary": "Tea", "criteria": [{"id": "cup"}, {"id": "pot"}]})

    page = site.text(here(sent))
    answer = send(site, sent, "comment", text="Which **cup**?", field="config.criteria[1]")

    assert '<option value="config.criteria[1]">Criterion 2</option>' in page
    assert answer.headers["location"] == f"{here(sent)}?commented=1#comments"
    page = site.text(answer.headers["location"])
    assert "on Criterion 2</p>" in page
    assert "<p>Which <strong>cup</strong>?</p>" in page
    assert "Your comment is saved." in page


def test_a_handler_is_tried_on_the_exemplars(site):
    sign_in(site, "mia", is_maintainer=True)
    code = "def decide(submission, challenge, config):\n    print('<b>saw</b>')\n    return {'passed': submission != 'stew'}\n"
    exemplars = [{"probe": "cup", "pass": "tea", "fail": "jam"}, {"probe": "pot", "pass": "", "fail": "stew"}]
    values: dict[str, Any] = {
        "type": "simple_pass_fail",
        "config": {"challenge": "What do you drink?"},
        "exemplars": exemplars,
    }
    sent = add(site, executable_code=code, status="under_review", **values)

    assert "return {&#39;passed&#39;: submission != &#39;stew&#39;}" in site.text(here(sent))
    page = main_of(send(site, sent, "try").text)

    rows = re.findall(r'<th class="probe" scope="row">(\w+)</th><td>(\w+)</td><td>(\w+)([^/]*)</', page)
    assert [row[:3] for row in rows] == [
        ("cup", "pass", "passed"),
        ("cup", "fail", "passed"),
        ("pot", "fail", "failed"),
    ]
    assert page.count("unexpected") == 1
    assert '<pre class="printed">&lt;b&gt;saw&lt;/b&gt;' in page
    assert stored(site, sent) == sent


def test_what_a_contributor_wrote_is_text_on_every_page(site):
    sign_in(site, "mia", is_maintainer=True)
    long = "W" * 500
    sent = add(
        site,
        HOSTILE,
        description=HOSTILE,
        contributor_name=HOSTILE,
        module=long,
        body=HOSTILE,
        config={f"</pre>{HOSTILE}": [1]},
        executable_code=HOSTILE,
    )

    site.database.write_now(lambda db: comments.add(db, sent, None, HOSTILE, HOSTILE, HOSTILE, is_community=False))
    for page in (site.text(QUEUE), site.text(here(sent))):
        assert "<img src=x" not in page
        assert "</pre><img" not in page
        assert 'href="javascript' not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page


@pytest.mark.parametrize("path", [f"{QUEUE}/{{}}", "/evaluations/contribute/{}/status"])
def test_only_an_address_of_the_web_is_a_link_to_a_pull_request(site, path):
    sign_in(site, "mia", is_maintainer=True)
    good = add(site, status="approved", sip_number=100, merged_pr_url="https://git.example/pulls/7")
    bad = add(site, "Jam", status="approved", evaluation_id="jam", sip_number=101, merged_pr_url="javascript:alert(1)")

    assert 'href="https://git.example/pulls/7"' in site.text(path.format(good.id))
    assert "javascript:" not in site.text(path.format(bad.id))


def test_the_start_page_counts_the_queue_for_maintainers_alone(site):
    for status in ("submitted", "under_review", "draft", "rejected"):
        add(site, status=status)

    sign_in(site, "ada")
    assert QUEUE not in site.text("/evaluations/contribute")
    sign_in(site, "mia", is_maintainer=True)
    assert f'<a href="{QUEUE}">Review queue (2)</a>' in site.text("/evaluations/contribute")
