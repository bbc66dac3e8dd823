"""E-mails open the contribution for who has no account, and a stolen database or outbox opens nothing."""

import re
from typing import Any

import pytest

from tests import make
from tests.contributions.proposals import by_mail, proposal
from tests.contributions.submitted import maintainer
from tests.notices.mail_server import MailServer
from tests.notices.working import do_due, settings
from viva.contributions import announcing, drafting, ownership, reviewing, store, submitting
from viva.contributions.drafting import NewDraft
from viva.contributions.private_links import private_link
from viva.kit.db import Connection
from viva.kit.idempotency import IdempotentRequest, IdempotentResponse
from viva.kit.sqlite_connection import SqliteConnection
from viva.notices import emails
from viva.notices.model import NoticeContent

TOKEN = re.compile(r"viva_contrib_[A-Za-z0-9_-]{43}")


@pytest.fixture
def draft(db: Connection) -> NewDraft:
    return drafting.create(db, make.HALL, proposal(), by_mail())


def contributor(db: Connection, draft: NewDraft) -> ownership.Editor:
    return ownership.find_editor(db, draft.contribution.id, None, draft.token)


def text_of_all_tables(db: Connection) -> str:
    sql = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    if isinstance(db, SqliteConnection):
        sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = [name for (name,) in db.execute(sql).fetchall()]
    assert "notice_emails" in tables
    return str([db.execute(f"SELECT * FROM {table}").fetchall() for table in tables])


def test_every_e_mail_to_who_has_no_account_opens_the_contribution(db, draft, tmp_path):
    here = f"https://hub.example/evaluations/contribute/{draft.contribution.id}"
    with MailServer() as mail:
        announcing.mail_link(db, draft.contribution)
        submitting.submit(db, make.HALL, contributor(db, draft), draft.contribution.id)
        reviewing.request_changes(db, draft.contribution.id, maintainer(db), "Ask more.")
        do_due_of_mails(db, tmp_path, mail)

    assert len(mail.taken) == 3
    for message in mail.taken:
        assert f"{here}?token={draft.token}" in message.get_content().splitlines()


def do_due_of_mails(db: Connection, folder: Any, mail: MailServer | None) -> None:
    db.execute("DELETE FROM jobs WHERE work <> 'send_email'")
    do_due(db, settings(folder, mail.server if mail else None))


def test_no_table_holds_a_token(db, draft, tmp_path):
    editor = contributor(db, draft)
    invitation = drafting.invite(db, editor, draft.contribution.id, "Pia")
    drafting.join(db, invitation.token, None, "Pia")
    answer = IdempotentRequest("caller", "key", b"POST", make.HALL.secret)
    answer.begin(db)
    answer.keep(db, IdempotentResponse(201, f'{{"token": "{draft.token}"}}'.encode(), ""))
    announcing.mail_link(db, draft.contribution)
    submitting.submit(db, make.HALL, editor, draft.contribution.id)
    waiting = text_of_all_tables(db)
    with MailServer("451 Later") as mail:
        do_due_of_mails(db, tmp_path, mail)

    for text in (waiting, text_of_all_tables(db)):
        assert draft.contribution.id in text
        assert "mia@example.org" in text
        assert TOKEN.findall(text) == []


def test_an_outbox_holds_no_token_and_is_still_written(db, draft, tmp_path):
    announcing.mail_link(db, draft.contribution)
    do_due_of_mails(db, tmp_path, None)

    (file,) = (tmp_path / "outbox").glob("*.eml")
    text = file.read_text().replace("=\n", "")
    assert f"/evaluations/contribute/{draft.contribution.id}" in text
    assert "token" not in text
    (email,) = emails.list_emails(db, 9, None).items
    assert (email.status, email.link) == ("kept", f"/evaluations/contribute/{draft.contribution.id}")


def test_only_the_contributor_is_sent_the_token(db, draft):
    other = drafting.create(db, make.HALL, proposal(), by_mail("Pia")).contribution
    ada = make.agent(db, "ada")
    link = f"/evaluations/contribute/{draft.contribution.id}"

    def link_for(address: str, account_id: str | None = None, link: str = link) -> str | None:
        id_ = emails.add(db, account_id, address, NoticeContent("e", "s", "t", link, {}))
        email = emails.find_waiting(db, id_)
        assert email
        return private_link(make.HALL.secret, db, email)

    assert link_for("mia@example.org") == f"{link}?token={draft.token}"
    assert link_for("pia@example.org") == link  # the address of somebody else
    assert link_for("mia@example.org", ada.id) == link  # an account opens it with its key
    review = f"/evaluations/contribute/review/{draft.contribution.id}"
    assert link_for("mia@example.org", link=review) == review
    assert (
        link_for("mia@example.org", link=f"/evaluations/contribute/{other.id}") == f"/evaluations/contribute/{other.id}"
    )


def test_a_token_that_cannot_be_derived_is_left_out(db, draft):
    """Drafts of an earlier release have random tokens, and a hub may get another secret."""
    announcing.mail_link(db, draft.contribution)
    (email,) = emails.list_emails(db, 9, None).items

    assert private_link(b"another secret", db, email) == email.link
    db.execute("UPDATE evaluation_contributions SET token_hash = ?", [ownership.hash_token("viva_contrib_random")])
    assert private_link(make.HALL.secret, db, email) == email.link


def test_a_token_opens_one_contribution_and_looks_random(db, draft):
    other = drafting.create(db, make.HALL, proposal(), by_mail())

    assert draft.token
    assert other.token
    assert TOKEN.fullmatch(draft.token)
    assert draft.token != other.token
    assert ownership.find_editor(db, draft.contribution.id, None, draft.token).role == "contributor"
    with pytest.raises(store.NoSuchContribution):
        ownership.find_editor(db, draft.contribution.id, None, other.token)
