"""Community review on pages: what everybody sees of an open proposal, votes and comments."""

from datetime import timedelta
from typing import Any

import pytest

from tests.contributions import submitted
from tests.web.people import main_of, over_all_pages
from tests.web.test_contribute import OWN, sign_in
from viva.contributions import comments
from viva.contributions.model import Contribution
from viva.kit.clock import now

COMMUNITY = "/evaluations/contribute/community"
HOSTILE = "<img src=x onerror=alert(1)>"
JAVASCRIPT = f"[press](javascript:alert(1)) {HOSTILE}"
SECRETS = ("the magic word", "How do you ask?", "Gives full marks", "Boil water.", "example.org", "Ask for tea.")
CONFIG = {
    "prompts": [{"id": "one", "messages": [{"role": "user", "content": "How do you ask?"}]}],
    "criteria": [
        {"id": "asks-kindly", "text": "Gives full marks for the magic word"},
        {"title": f"Kind {HOSTILE}", "text": "Gives full marks"},
    ],
}


def add(site: Any, name: str = "Tea making", **changes: Any) -> Contribution:
    values = {"is_open_to_community": True, "config": CONFIG} | changes
    found: Contribution = site.database.write_now(lambda db: submitted.submission(db, name, **values))
    return found


def here(contribution: Contribution) -> str:
    return f"{COMMUNITY}/{contribution.id}"


def send(site: Any, contribution: Contribution, action: str, **fields: str) -> Any:
    path = f"{here(contribution)}/{action}"
    return site.client.post(path, data=fields, headers=OWN, follow_redirects=False)


@pytest.mark.parametrize("role", ["nobody", "stranger", "contributor", "maintainer"])
def test_everybody_sees_name_description_and_titles_but_no_prompts(site, role):
    viewer = sign_in(site, role, role == "maintainer") if role != "nobody" else None
    sent = add(site, contributor_id=viewer.id if viewer and role == "contributor" else None)
    site.database.write_now(
        lambda db: comments.add(db, sent, None, "Mia", "Said among reviewers.", None, is_community=False)
    )

    for page in (site.text(COMMUNITY), site.text(here(sent))):
        assert "Tea making" in page
        assert "Whether an agent can make tea." in page
        for secret in (*SECRETS, "among reviewers"):
            assert secret not in page
    assert "<li>Asks kindly</li><li>Kind &lt;img src=x onerror=alert(1)&gt;</li>" in page
    assert ("Sign in</a> to vote" in page) == (role == "nobody")
    assert ("you do not vote on it" in page) == (role == "contributor")
    assert ('name="vote"' in page) == (role in ("stranger", "maintainer"))


@pytest.mark.parametrize(
    "changes", [{"is_open_to_community": False}, {"status": "draft"}, {"status": "rejected", "rejection_reason": "No."}]
)
def test_what_is_not_open_does_not_exist_for_others(site, changes):
    sent = add(site, **changes)
    sign_in(site)

    assert "Tea making" not in site.text(COMMUNITY)
    assert "No proposal is open to the community." in site.text(COMMUNITY)
    assert site.get(here(sent)).status_code == 404
    assert send(site, sent, "vote", vote="for").status_code == 404
    assert send(site, sent, "comment", text="Hm.").status_code == 404


def test_a_vote_is_counted_once_changed_and_taken_back(site):
    sign_in(site)
    sent = add(site)

    def votes() -> tuple[int, int]:
        sql = "SELECT count(CASE WHEN vote = 1 THEN 1 END), count(CASE WHEN vote = -1 THEN 1 END) FROM evaluation_contribution_votes"
        return tuple(site.database.read_now(lambda db: db.execute(sql).fetchone()))

    assert send(site, sent, "vote", vote="for").headers["location"] == here(sent)
    assert send(site, sent, "vote", vote="for").status_code == 303
    assert votes() == (1, 0)
    page = site.text(here(sent))
    assert "You voted for it." in page
    assert "1 for, 0 against" in site.text(COMMUNITY)
    assert 'value="for"' not in page
    send(site, sent, "vote", vote="against")
    assert votes() == (0, 1)
    assert "You voted against it." in site.text(here(sent))
    assert "You voted" not in site.text(here(add(site, "Jam")))
    send(site, sent, "vote", vote="none")
    assert votes() == (0, 0)
    assert "You voted" not in site.text(here(sent))


def test_nobody_votes_without_an_account_or_on_their_own(site):
    sent = add(site)
    assert send(site, sent, "vote", vote="for").headers["location"].startswith("/login?next=")
    assert send(site, sent, "comment", text="Hm.").headers["location"].startswith("/login?next=")
    ada = sign_in(site)
    own = add(site, "Own", contributor_id=ada.id)

    refused = send(site, own, "vote", vote="for")

    assert refused.status_code == 403
    assert "Nobody votes on their own contribution." in refused.text
    assert (
        site.database.read_now(lambda db: db.execute("SELECT 1 FROM evaluation_contribution_votes").fetchone()) is None
    )
    assert site.database.read_now(lambda db: comments.list_comments(db, sent.id)) == []


def test_what_others_wrote_runs_nothing(site):
    sign_in(site, HOSTILE)
    sent = add(site, HOSTILE, description=HOSTILE, contributor_name="W" * 200)

    assert send(site, sent, "comment", text="**Good**, see https://x.example").status_code == 303
    refused = send(site, sent, "comment", text=JAVASCRIPT)
    site.database.write_now(lambda db: comments.add(db, sent, None, "Eve", JAVASCRIPT, None, is_community=True))
    page = main_of(site.text(here(sent)))

    assert refused.status_code == 422
    assert "<strong>Good</strong>" in page
    assert "press" in page
    for text in (page, refused.text, site.text(COMMUNITY)):
        assert 'href="javascript' not in text
        assert HOSTILE not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text


@pytest.mark.parametrize("text", ["", " ", "x" * 5_001])
def test_a_refused_comment_is_shown_again(site, text):
    sign_in(site)
    sent = add(site)

    answer = send(site, sent, "comment", text=text)

    assert answer.status_code == 422
    assert "Write 1 to 5000 characters." in answer.text
    assert f">\n{text.strip()}</textarea>" in answer.text
    assert site.database.read_now(lambda db: comments.list_comments(db, sent.id)) == []


def test_a_form_of_another_site_and_an_unknown_action_do_nothing(site):
    sign_in(site)
    sent = add(site)

    foreign = site.client.post(
        f"{here(sent)}/vote", data={"vote": "for"}, headers={"sec-fetch-site": "cross-site"}, follow_redirects=False
    )

    assert foreign.status_code == 403
    assert send(site, sent, "vote", vote="twice").status_code == 404
    assert send(site, sent, "publish").status_code == 404
    assert "You voted" not in site.text(here(sent))


def test_the_pages_of_the_list_have_each_proposal_once(site, monkeypatch):
    monkeypatch.setattr("viva.web.community.OPEN_SUBMISSIONS_PER_PAGE", 2)
    for number in range(5):
        add(site, f"Tea {number}", submitted_at=now() - timedelta(days=number))

    found = over_all_pages(site, COMMUNITY, f"{COMMUNITY}/")

    assert found == [f"Tea {number}" for number in range(5)]
    assert "There are no more proposals." in site.text(COMMUNITY, offset="70")


def test_the_start_page_leads_to_the_community(site):
    assert f'<a href="{COMMUNITY}">Community review</a>' in site.text("/evaluations/contribute")
