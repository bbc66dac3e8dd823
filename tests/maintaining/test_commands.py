"""The commands that keep order, on a hub that has an exam with words in it."""

import contextlib
import json
from pathlib import Path
from typing import get_args

import pytest

from tests import make
from tests.conftest import DATABASES, fresh_url
from tests.hub import run_viva
from tests.maintaining.people import SPAM, exam, texts_in
from viva.agents import store
from viva.cli.moderating import ReportAnswer, TextKind
from viva.config.places import load_secret
from viva.evaluations import closing
from viva.exams import appointments
from viva.kit.opening import open_database
from viva.maintaining import reporting
from viva.maintaining.hidden_texts import HiddenSubject
from viva.maintaining.reports import ReportStatus
from viva.results import statements
from viva.results import store as results


@pytest.fixture(params=DATABASES)
def viva(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that runs a command on an empty hub."""
    settings = {"VIVA_DATABASE_URL": fresh_url(request.param, request, tmp_path), "VIVA_DATA_DIR": str(tmp_path)}

    def run(*arguments: str):
        return run_viva(arguments, settings)

    run.settings = settings  # type: ignore[attr-defined]
    return run


def test_a_key_is_replaced(viva):
    old = viva("maintainer", "mary").stdout.splitlines()[-1]

    said = viva("key", "Mary")

    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1].startswith("viva_")
    assert said.stdout.splitlines()[-1] != old


def test_suspending_and_restoring(viva):
    viva("maintainer", "mary")
    viva("maintainer", "marta")

    assert viva("suspend", "mary").returncode == 2  # without a reason
    assert viva("suspend", "mary", "--reason", "Key was stolen.").stdout == "mary is suspended.\n"
    assert "already" in viva("suspend", "mary", "--reason", "Again.").stderr
    last = viva("suspend", "marta", "--reason", "The last one.")
    assert (last.returncode, "last maintainer" in last.stderr) == (2, True)
    assert viva("restore-agent", "mary").stdout == "mary is restored.\n"
    assert viva("restore-agent", "nobody").returncode == 2


def test_the_last_maintainer_is_not_dismissed(viva):
    viva("maintainer", "mary")
    viva("maintainer", "marta")

    assert viva("maintainer", "mary", "--remove").stdout == "mary is no maintainer any more.\n"
    last = viva("maintainer", "marta", "--remove")
    assert (last.returncode, "last maintainer" in last.stderr) == (2, True)
    assert viva("maintainer", "mary", "--remove").returncode == 2


# Commands on a hub with an exam


@pytest.fixture
def examined(viva, tmp_path: Path):
    """The function `viva`, a database of the same hub, and an exam in it."""
    viva("migrate")
    url = viva.settings["VIVA_DATABASE_URL"]
    with contextlib.closing(open_database(url)) as database:
        database.secret = load_secret(tmp_path)
        yield viva, database, database.write_now(exam)


def test_a_text_is_hidden_and_shown_again(examined):
    viva, database, seen = examined

    hidden = viva("hide", "message", seen.message_id, "--reason", "Advertising.")
    again = viva("hide", "message", seen.message_id, "--reason", "Advertising.")

    assert "Hidden by the operator of this hub" in hidden.stdout, hidden.stderr
    assert "Reason: Advertising." in hidden.stdout
    assert (again.returncode, "already" in again.stderr) == (2, True)
    assert SPAM not in database.read_now(lambda db: texts_in(db, seen.session_id))
    assert viva("show", "message", seen.message_id).stdout == "The message is shown again.\n"
    assert SPAM in database.read_now(lambda db: texts_in(db, seen.session_id))
    assert viva("show", "message", seen.message_id).returncode == 2
    assert viva("hide", "poem", "x", "--reason", "x").returncode == 2


def test_a_hidden_text_is_erased_for_good(examined):
    viva, database, seen = examined

    assert viva("erase", "message", seen.message_id).returncode == 2
    viva("hide", "message", seen.message_id, "--reason", "Advertising.")
    assert viva("erase", "message", seen.message_id).stdout == "The message is erased for good.\n"

    again = viva("show", "message", seen.message_id)
    assert (again.returncode, "erased for good" in again.stderr) == (2, True)
    assert SPAM not in database.read_now(lambda db: texts_in(db, seen.session_id))


def test_a_name_is_hidden_by_the_name_of_its_agent(examined):
    viva, database, seen = examined

    assert viva("hide", "name", "ADA", "--reason", "An insult.").returncode == 0
    assert database.read_now(lambda db: store.get(db, seen.candidate.id)).name.startswith("hidden-")
    assert viva("show", "name", seen.candidate.id).returncode == 0
    assert database.read_now(lambda db: store.get(db, seen.candidate.id)).name == "ada"


def test_a_result_is_void_and_signed_again(examined):
    viva, database, seen = examined

    said = viva("void", seen.result.id, "--reason", "They are one person.")

    assert said.stdout == f"{seen.result.id} is void.\n", said.stderr
    assert database.read_now(lambda db: results.get(db, seen.result.id)).void_reason == "They are one person."
    assert database.read_now(lambda db: len(statements.list_statements(db, seen.result.id, 9))) == 2
    assert viva("void", seen.result.id, "--reason", "Again.").returncode == 2
    assert viva("check").returncode == 0


def test_a_proctor_is_appointed_and_dismissed(examined):
    viva, database, _ = examined

    def appointed(db):
        return [each.agent_name for each in appointments.list_appointments(db)]

    assert "is now a proctor" in viva("proctor", "paul").stdout
    assert database.read_now(appointed) == ["paul"]
    assert "is no longer appointed" in viva("proctor", "paul", "--remove").stdout
    assert database.read_now(appointed) == []
    assert viva("proctor", "paul", "--remove").returncode == 2


def test_an_evaluation_is_closed_and_reopened(examined):
    viva, database, _ = examined

    assert viva("close", "good-manners").returncode == 2  # without a reason
    assert viva("close", "good-manners", "--reason", "Its key leaked.").stdout == "Good manners is closed.\n"
    assert [each.reason for each in database.read_now(closing.list_closed)] == ["Its key leaked."]
    assert viva("reopen", "good-manners").stdout == "good-manners is open again.\n"
    assert database.read_now(closing.list_closed) == []
    assert viva("reopen", "good-manners").returncode == 2


def test_an_owner_is_confirmed(examined):
    viva, database, _ = examined

    assert viva("verify", "ada").returncode == 2  # without an owner
    assert viva("verify", "ada", "--owner", "Ada's house").stdout == "The owner of ada is confirmed.\n"
    assert database.read_now(lambda db: store.profile(db, "ada")).verified_owner == "Ada's house"


def test_reports_are_listed_and_answered(examined):
    viva, database, seen = examined
    assert viva("reports").stdout == "No report waits for an answer.\n"
    made = database.write_now(
        lambda db: reporting.report(db, make.agent(db, "bob"), "agent", seen.candidate.id, "It sells\x1b things.")
    )

    listed = viva("reports").stdout
    answered = viva("answer", made.id, "upheld", "--note", "Thank you.")

    assert listed.startswith(f"{made.id}  agent {seen.candidate.id}  It sells")
    assert "\x1b" not in listed
    assert answered.stdout == f"{made.id} is upheld.\n"
    assert json.loads(viva("reports", "--json").stdout) == {"reports": []}
    assert viva("answer", made.id, "dismissed").returncode == 2


def test_an_invitation_is_made_and_revoked(viva):
    viva("migrate")

    made = json.loads(viva("invite", "--uses", "3", "--days", "2", "--json").stdout)

    assert made["code"].startswith("viva_invite_")
    assert "is revoked" in viva("invite", "--revoke", made["invitation_id"]).stdout
    assert viva("invite", "--revoke", made["invitation_id"]).returncode == 2
    assert viva("invite", "--uses", "0").returncode == 2


def test_the_commands_know_every_kind_of_text_and_answer():
    assert tuple(TextKind) == get_args(HiddenSubject)
    assert {"open", *ReportAnswer} == set(get_args(ReportStatus))
