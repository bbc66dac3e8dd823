"""Who is notified of what happens to a contribution, and what an e-mail to a stranger does not carry."""

from tests import make
from tests.contributions.submitted import maintainer, submission
from tests.notices.mail_server import MailServer
from tests.notices.working import do_due, settings
from viva.agents.model import Agent
from viva.contributions import reviewing, store
from viva.contributions.announcing import announce
from viva.contributions.ownership import Editor
from viva.kit.actors import Actor
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.notices import emails
from viva.notices import store as notices


def events_of(db: Connection, agent: Agent) -> list[str]:
    return sorted(notice.event for notice in notices.list_notices(db, agent.id, None, 50, None).items)


def collaborate(db: Connection, contribution_id: str, agent: Agent) -> None:
    db.execute(
        """
        INSERT INTO evaluation_contribution_collaborators (id, contribution_id, agent_id, name, invited_at, joined_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [new_id("collab"), contribution_id, agent.id, agent.name, now(), now()],
    )


def test_email_notifications_sent_correctly(db, tmp_path):
    """The confirmation of a submission, then each decision, through a real mail server."""
    mia = maintainer(db)
    first, second, third = submission(db), submission(db, "Coffee making"), submission(db, "Water boiling")
    with MailServer() as mail:
        announce(db, "submitted", first)
        reviewing.request_changes(db, first.id, mia, "Say which tea.")
        reviewing.reject(db, second.id, mia, "We have this already.")
        announce(db, "approved", third)
        announce(db, "merged", third)
        do_due(db, settings(tmp_path, mail.server))

    assert mail.recipients == [["ada@example.org"]] * 5
    assert {message["Subject"] for message in mail.taken} == {
        "“Tea making” was submitted",
        "Changes requested for “Tea making”",
        "“Coffee making” was rejected",
        "“Water boiling” was approved",
        "“Water boiling” is live",
    }
    texts = {message["Subject"]: message.get_content() for message in mail.taken}
    assert "Say which tea." in texts["Changes requested for “Tea making”"]
    assert f"https://hub.example/evaluations/contribute/{first.id}" in texts["“Tea making” was submitted"]


def test_a_submission_is_confirmed_and_waits_for_all_maintainers(db):
    ada, pia, mia, max_ = make.agent(db, "ada"), make.agent(db, "pia"), maintainer(db), maintainer(db, "max")
    contribution = submission(db, contributor_id=ada.id, contributor_email=None)
    collaborate(db, contribution.id, pia)
    db.actor = Actor("api", account_id=ada.id)

    announce(db, "submitted", contribution)

    assert [events_of(db, agent) for agent in (ada, pia, mia, max_)] == [["contribution.submitted"]] * 4
    (confirmed,) = notices.list_notices(db, ada.id, None, 9, None).items
    (waiting,) = notices.list_notices(db, mia.id, None, 9, None).items
    assert confirmed.subject == "“Tea making” was submitted"
    assert confirmed.link == f"/evaluations/contribute/{contribution.id}"
    assert (waiting.subject, waiting.text) == ("“Tea making” waits for review", "Ada has submitted an evaluation.")
    assert waiting.link == f"/evaluations/contribute/review/{contribution.id}"


def test_decisions_reach_the_contributors_with_what_the_maintainer_wrote(db):
    mia = maintainer(db)
    first, second = submission(db), submission(db, "Coffee making", contributor_email="pia@example.org")
    db.actor = Actor("api", account_id=mia.id)

    reviewing.request_changes(db, first.id, mia, "Say which tea.")
    reviewing.reject(db, second.id, mia, "We have this already.")

    written = {email.address: email for email in emails.list_emails(db, 9, None).items}
    assert written.keys() == {"ada@example.org", "pia@example.org"}
    assert written["ada@example.org"].subject == "Changes requested for “Tea making”"
    assert written["ada@example.org"].text.endswith("\n\nSay which tea.")
    assert written["pia@example.org"].subject == "“Coffee making” was rejected"
    assert written["pia@example.org"].text.endswith("\n\nWe have this already.")
    assert events_of(db, mia) == []


def test_a_merged_contribution_leads_to_its_evaluation(db):
    ada = make.agent(db, "ada")
    contribution = submission(db, contributor_id=ada.id, evaluation_id="tea-making")

    announce(db, "approved", contribution)
    announce(db, "merged", contribution)

    links = {notice.event: notice.link for notice in notices.list_notices(db, ada.id, None, 9, None).items}
    assert links["contribution.merged"] == "/evaluations/tea-making"
    assert links["contribution.approved"] == f"/evaluations/contribute/{contribution.id}"


def test_a_comment_reaches_all_others_who_work_on_it_and_is_not_quoted(db):
    ada, pia, mia, max_ = make.agent(db, "ada"), make.agent(db, "pia"), maintainer(db), maintainer(db, "max")
    contribution = submission(db, contributor_id=ada.id, reviewed_by=mia.id, status="under_review")
    collaborate(db, contribution.id, pia)

    reviewing.comment(db, contribution.id, Editor(contribution, "collaborator", pia.id, "pia"), "Buy my pills.")

    assert [events_of(db, agent) for agent in (ada, pia, mia, max_)] == [
        ["contribution.commented"],
        [],
        ["contribution.commented"],
        [],
    ]
    (notice,) = notices.list_notices(db, ada.id, None, 9, None).items
    assert notice.text == "pia has commented on the evaluation."


def test_a_stranger_s_mailbox_gets_neither_comments_nor_long_names(db):
    long = "Buy my pills at https://pills.example " * 5
    contribution = submission(db, long)
    ada = make.agent(db, "ada")

    reviewing.comment(db, contribution.id, Editor(contribution, "collaborator", ada.id, long[:200]), "Buy my pills.")

    (email,) = emails.list_emails(db, 9, None).items
    assert len(email.subject) <= 85
    assert len(email.text) <= 100
    assert store.get(db, contribution.id).status == "submitted"


def test_who_comments_with_the_link_gets_no_e_mail_about_it(db):
    contribution = submission(db)

    reviewing.comment(db, contribution.id, Editor(contribution, "contributor", None, "Ada"), "I will add sugar.")

    assert emails.list_emails(db, 9, None).items == []
