"""E-mails go through a mail server, again if it has trouble, and into the outbox if there is none."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path

import pytest

from tests import make
from tests.kit.test_fetching import certified
from tests.notices.mail_server import MailServer
from tests.notices.working import do_and_die, do_due, hurry, pauses, settings
from viva.agents import accounts
from viva.kit.db import Connection
from viva.notices import addresses, emails, outbox
from viva.notices.model import Email
from viva.notices.notifying import notify
from viva.notices.smtp import NotSent, SmtpServer, read_smtp_url

pytestmark = pytest.mark.slow


def write(db: Connection, address: str = "pia@example.org", subject: str = "It happened", text: str = "See.") -> None:
    notify(db, "thing.happened", [address], subject, text, "/things/1")


def only_email(db: Connection) -> Email:
    (email,) = emails.list_emails(db, 10, None).items
    return email


def test_an_e_mail_arrives_with_everything_in_it_and_once(db, tmp_path):
    ada = make.agent(db, "ada")
    addresses.put_address(db, ada.id, "ada@example.org")
    with MailServer() as mail:
        notify(db, "thing.happened", [ada.id, "pia@example.org"], "“Good manners” is live", "Ünïcode…\nTwo.", "/e/1")

        assert do_due(db, settings(tmp_path, mail.server)) == 2

    assert sorted(mail.recipients) == [["ada@example.org"], ["pia@example.org"]]
    message = mail.taken[0]
    assert message["Subject"] == "“Good manners” is live"
    assert message["From"] == "Viva <viva@hub.example>"
    assert [message["To"]] == mail.recipients[0]
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_content_type() == "text/plain"
    assert lines_of(message).startswith("Ünïcode…\nTwo.\n\nhttps://hub.example/e/1\n\n-- \n")
    sent = {f"<{email.id}@hub.example>": email for email in emails.list_emails(db, 10, None).items}
    assert {(email.status, email.tries, email.reason) for email in sent.values()} == {("sent", 1, None)}
    assert {each["Message-ID"] for each in mail.taken} == sent.keys()
    assert do_due(db, settings(tmp_path, mail.server)) == 0
    assert not (tmp_path / "outbox").exists()


def lines_of(message: EmailMessage) -> str:
    return "\n".join(message.get_content().splitlines())


HOSTILE = "Ada\r\nBcc: paul@example.org\r\n\r\n<script>\x00\u2028\u202e\ud800 =?utf-8?q?Bcc:?= ünï" + "x" * 5_000


def test_no_name_adds_a_header_or_a_line(db, tmp_path):
    with MailServer() as mail:
        write(db, subject=f"{HOSTILE} has come", text=f"one\r\n.\r\nQUIT\r\n{HOSTILE}")
        do_due(db, settings(tmp_path, mail.server))

    (message,) = mail.taken
    own = ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"]
    assert sorted(message.keys()) == sorted([*own, "Content-Type", "Content-Transfer-Encoding", "MIME-Version"])
    assert message["To"] == "pia@example.org"
    assert mail.recipients == [["pia@example.org"]]
    assert message["Subject"].startswith("Ada Bcc: paul@example.org <script>")
    assert len(message["Subject"]) <= 200
    assert lines_of(message).startswith("one\n.\nQUIT\nAda\nBcc: paul@example.org\n")
    assert max(map(len, mail.raw[0].split(b"\r\n"))) <= 998
    assert only_email(db).status == "sent"


@pytest.mark.parametrize("trouble", ["451 try later", "hang up", "rcpt 450 busy"])
def test_a_server_in_trouble_is_tried_again_later_each_time(db, tmp_path, trouble):
    with MailServer(*[trouble] * 5) as mail:
        write(db)
        waited = []
        for _ in range(5):
            do_due(db, settings(tmp_path, mail.server))
            waited += pauses(db)
            hurry(db)

        assert waited == [1, 5, 30, 120, 360]
        assert (only_email(db).status, only_email(db).tries) == ("waiting", 5)
        do_due(db, settings(tmp_path, mail.server))

    assert len(mail.taken) == 1
    assert mail.taken[0]["Message-ID"] == f"<{only_email(db).id}@hub.example>"
    assert (only_email(db).status, only_email(db).tries) == ("sent", 6)


def test_after_the_last_try_the_e_mail_fails_with_the_reason(db, tmp_path):
    with MailServer(*["451 out of space"] * 6) as mail:
        write(db)
        for _ in range(6):
            do_due(db, settings(tmp_path, mail.server))
            hurry(db)

    assert (only_email(db).status, only_email(db).tries) == ("failed", 6)
    assert only_email(db).reason == "The mail server answered 451: out of space"
    assert do_due(db, settings(tmp_path, mail.server)) == 0


@pytest.mark.parametrize("refusal", ["550 no such mailbox", "rcpt 550 no such mailbox"])
def test_an_e_mail_that_is_refused_for_good_is_not_tried_again(db, tmp_path, refusal):
    with MailServer(refusal) as mail:
        write(db)
        do_due(db, settings(tmp_path, mail.server))

    assert (only_email(db).status, only_email(db).tries) == ("failed", 1)
    assert only_email(db).reason == "The mail server answered 550: no such mailbox"


def test_a_slow_server_is_not_waited_for(tmp_path):
    with MailServer("wait") as mail, pytest.raises(NotSent, match=r"within 0\.3 seconds") as caught:
        mail.server._replace(seconds=0.3).send(message(), "viva@hub.example", "pia@example.org")

    assert not caught.value.is_final


def test_nobody_there_is_no_reason_to_give_up(tmp_path):
    with MailServer() as mail:
        server = mail.server
    with pytest.raises(NotSent, match="could not be used") as caught:
        server.send(message(), "viva@hub.example", "pia@example.org")

    assert not caught.value.is_final


def message() -> EmailMessage:
    made = EmailMessage()
    made["To"], made["From"], made["Subject"] = "pia@example.org", "viva@hub.example", "It happened"
    made.set_content("See.")
    return made


def test_a_worker_that_dies_after_sending_sends_the_same_again(db, tmp_path):
    with MailServer() as mail:
        write(db)
        do_and_die(db, settings(tmp_path, mail.server))
        assert only_email(db).status == "waiting"

        assert do_due(db, settings(tmp_path, mail.server)) == 1

    first, second = mail.raw
    assert first == second
    assert only_email(db).status == "sent"


def test_an_answer_that_is_lost_leads_to_the_same_e_mail_again(db, tmp_path):
    with MailServer("hang up late") as mail:
        write(db)
        do_due(db, settings(tmp_path, mail.server))
        hurry(db)
        do_due(db, settings(tmp_path, mail.server))

    assert len(mail.raw) == 2
    assert len(set(mail.raw)) == 1


def test_a_password_goes_only_over_tls(tmp_path):
    tls, trust = certified(tmp_path, "localhost")
    with MailServer(tls=tls, password="s3cret") as mail:
        server = mail.server._replace(host="localhost", user="viva", password="s3cret", trust=trust)
        server.send(message(), "viva@hub.example", "pia@example.org")
        with pytest.raises(NotSent, match="535"):
            server._replace(password="wrong").send(message(), "viva@hub.example", "pia@example.org")

    assert mail.is_encrypted == [True]
    assert SmtpServer("mail.example", 587, "viva", "s3cret").start_tls is True
    assert SmtpServer("mail.example", 587).start_tls is None


def test_with_tls_from_the_first_byte_the_certificate_is_that_of_the_host(tmp_path):
    tls, trust = certified(tmp_path, "localhost")
    with MailServer(smtps=tls) as mail:
        server = mail.server._replace(host="localhost", is_tls=True, trust=trust)
        server.send(message(), "viva@hub.example", "pia@example.org")
        with pytest.raises(NotSent, match="could not be used"):
            server._replace(host="127.0.0.1").send(message(), "viva@hub.example", "pia@example.org")

    assert len(mail.raw) == 1


def test_addresses_of_mail_servers():
    assert read_smtp_url("smtp://mail.example") == SmtpServer("mail.example", 587)
    assert read_smtp_url("smtps://a%40b:p%3Aw@mail.example") == SmtpServer("mail.example", 465, "a@b", "p:w", True)
    assert read_smtp_url("smtp://[::1]:25/").port == 25
    for wrong in (
        "http://mail.example",
        "smtp://",
        "smtp://mail.example/box",
        "smtp://mail.example:no",
        "mail.example",
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - the caller has its own message
            read_smtp_url(wrong)


def test_without_a_mail_server_e_mails_are_files_of_the_outbox(db, tmp_path):
    write(db)
    do_and_die(db, settings(tmp_path))
    do_due(db, settings(tmp_path))

    email = only_email(db)
    (path,) = (tmp_path / "outbox").iterdir()
    read = BytesParser(EmailMessage, policy=default).parsebytes(path.read_bytes())
    assert (email.status, path.name) == ("kept", f"{email.id}.eml")
    assert (read["To"], read["Subject"]) == ("pia@example.org", "It happened")
    assert path.stat().st_mode & 0o077 == 0


def test_the_outbox_keeps_the_newest(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(outbox, "MAX_OUTBOX_FILES", 2)
    for number in (1, 3, 2):
        outbox.write_file(tmp_path, f"email_{number}", message())

    assert sorted(path.name for path in tmp_path.iterdir()) == ["email_2.eml", "email_3.eml"]


def test_a_deleted_account_leaves_no_file_and_gets_no_e_mail_that_waited(db, tmp_path):
    ada = make.agent(db, "ada")
    addresses.put_address(db, ada.id, "ada@example.org")
    notify(db, "thing.happened", [ada.id, "pia@example.org"], "It happened", "See.")
    do_due(db, settings(tmp_path))
    notify(db, "thing.happened", [ada.id], "Again", "See.")

    accounts.delete(db, ada)
    with MailServer() as mail:
        do_due(db, settings(tmp_path, mail.server))

    assert mail.taken == []
    (path,) = (tmp_path / "outbox").iterdir()
    assert path.name == f"{only_email(db).id}.eml"
    assert only_email(db).address == "pia@example.org"


def test_old_e_mails_are_deleted(db):
    write(db)
    db.execute("UPDATE notice_emails SET created_at = ?", ["2026-01-01T00:00:00.000000Z"])
    write(db, "paul@example.org")

    assert emails.forget_old(db) == 1
    assert only_email(db).address == "paul@example.org"
