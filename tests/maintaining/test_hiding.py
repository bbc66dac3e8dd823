"""Hidden texts: the line stands in their place, the text is nowhere, and it can be shown again."""

import pytest

from tests import make
from tests.maintaining.people import SPAM, actions_in, exam, maintainer, texts_in
from viva.agents import accounts, names, store
from viva.agents.store import NameTaken
from viva.kit.actors import COMMAND
from viva.maintaining import account_deletion, hiding, voiding
from viva.maintaining.hidden_texts import HiddenAlready, NotHidden
from viva.maintaining.subjects import NoSuchText
from viva.results import statements
from viva.results import store as results
from viva.results.facts import find_differences
from viva.sessions import chain
from viva.sessions import store as sessions


def everything(db, without: tuple[str, ...] = ("hidden_texts",)) -> str:
    """Every row of every table but these, as text."""
    names = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if "Sqlite" in type(db).__name__
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    ).fetchall()
    return "\n".join(
        repr([tuple(row) for row in db.execute(f"SELECT * FROM {name}").fetchall()])
        for (name,) in names
        if name not in without
    )


def test_a_hidden_message_is_replaced_by_its_line_and_stands_in_no_other_table(db):
    seen = exam(db)
    maintainer(db)

    hidden = hiding.hide(db, "message", seen.message_id, "Advertising.")

    assert hidden.line.startswith("Hidden by mary on ")
    assert hidden.line.endswith("Reason: Advertising.")
    assert texts_in(db, seen.session_id) == ["What do you say?", hidden.line]
    assert SPAM not in everything(db)
    assert actions_in(db)[-1] == "text.hidden"


def test_it_is_shown_again_as_it_was(db):
    seen = exam(db)
    maintainer(db)
    hiding.hide(db, "message", seen.message_id, "Advertising.")

    hiding.show_again(db, "message", seen.message_id)

    assert texts_in(db, seen.session_id)[1] == SPAM
    assert "Advertising" not in everything(db, without=())
    assert actions_in(db)[-1] == "text.shown"


def test_hiding_twice_or_nothing_is_refused(db):
    seen = exam(db)
    maintainer(db)
    hiding.hide(db, "message", seen.message_id, "Advertising.")

    with pytest.raises(HiddenAlready), make.unit(db):
        hiding.hide(db, "message", seen.message_id, "Advertising.")
    for subject_type in ("message", "feedback", "name", "description", "trace", "comment"):
        with pytest.raises(NoSuchText):
            hiding.hide(db, subject_type, "nothing", "Advertising.")
    with pytest.raises(NotHidden):
        hiding.show_again(db, "name", seen.candidate.id)


def test_hidden_feedback(db):
    seen = exam(db, feedback="You utter zorkmid.")
    maintainer(db)

    line = hiding.hide(db, "feedback", seen.result.id, "An insult.").line

    assert results.get(db, seen.result.id).proctor_feedback == line
    assert "utter zorkmid" not in everything(db)


def test_a_hidden_name_is_nobodys_and_the_agent_gets_one_of_the_hub(db):
    maintainer(db)
    spammer = make.agent(db, "Zorkmid Sales")

    hiding.hide(db, "name", spammer.id, "Advertising.")

    assert store.get(db, spammer.id).name == f"hidden-{spammer.id[-12:]}"
    assert "zorkmid sales" not in everything(db).lower()
    with pytest.raises(NameTaken), make.unit(db):
        make.agent(db, "Zorkmid Sales")
    hiding.show_again(db, "name", spammer.id)
    assert store.get(db, spammer.id).name == "Zorkmid Sales"


def test_a_name_that_was_chosen_since_stays_when_the_hidden_one_is_shown(db):
    maintainer(db)
    spammer = make.agent(db, "Zorkmid Sales")
    hiding.hide(db, "name", spammer.id, "Advertising.")
    accounts.change(db, store.get(db, spammer.id), "Calm", None)

    hiding.hide(db, "name", spammer.id, "Again.")
    hiding.show_again(db, "name", spammer.id)

    assert store.get(db, spammer.id).name == "Calm"


def test_the_lines_of_a_deleted_maintainer_do_not_name_it(db):
    seen = exam(db)
    mary = maintainer(db)
    hiding.hide(db, "message", seen.message_id, "Advertising.")
    maintainer(db, "marta")

    account_deletion.delete_account(db, mary)

    assert "Hidden by deleted agent on" in texts_in(db, seen.session_id)[1]
    assert "Hidden by mary" not in everything(db, without=())


def test_a_command_hides_as_the_operator(db):
    seen = exam(db)
    db.actor = COMMAND

    assert hiding.hide(db, "message", seen.message_id, "Law.").line.startswith("Hidden by the operator of this hub on")


def test_the_hidden_name_of_a_deleted_account_is_erased(db):
    maintainer(db)
    spammer = make.agent(db, "Zorkmid Sales")
    hiding.hide(db, "name", spammer.id, "Advertising.")

    account_deletion.delete_account(db, store.get(db, spammer.id))

    assert "zorkmid" not in everything(db, without=()).lower()


# Chains and signatures


def test_the_chain_holds_while_a_message_is_hidden_and_after(db):
    seen = exam(db)
    maintainer(db)
    for act in (
        lambda: hiding.hide(db, "message", seen.message_id, "Advertising."),
        lambda: hiding.show_again(db, "message", seen.message_id),
    ):
        act()
        messages = sessions.transcript(db, seen.session_id)
        assert list(chain.find_broken(seen.session_id, messages)) == []


def test_a_hidden_message_leaves_no_salt(db):
    seen = exam(db)
    maintainer(db)
    salt = sessions.transcript(db, seen.session_id)[1].salt
    assert salt

    hiding.hide(db, "message", seen.message_id, "Advertising.")

    assert salt not in everything(db)


def test_the_statement_holds_while_feedback_is_hidden_and_after(db):
    seen = exam(db)
    maintainer(db)

    def differences():
        signed = statements.read_signed(db, seen.result.id)
        return signed and find_differences(signed.in_force.facts, results.get(db, seen.result.id), signed.salts)

    assert differences() == []
    hiding.hide(db, "feedback", seen.result.id, "An insult.")
    assert differences() == []
    voiding.void(db, seen.result.id, "Both shouted.")
    assert differences() == []
    hiding.show_again(db, "feedback", seen.result.id)
    assert differences() == []
    db.execute("UPDATE evaluation_results SET proctor_feedback = 'Forged.' WHERE id = ?", [seen.result.id])
    assert [difference.field for difference in differences()] == ["proctor_feedback_hash"]


def test_a_name_that_is_shown_again_fits_its_hashes(db):
    seen = exam(db)
    maintainer(db)
    wanted = {seen.candidate.id: names.list_names(db, seen.candidate.id)[0].hash}

    hiding.hide(db, "name", seen.candidate.id, "Advertising.")
    hidden = names.find_by_hash(db, wanted)
    hiding.show_again(db, "name", seen.candidate.id)

    assert hidden == {}
    assert names.find_by_hash(db, wanted)[seen.candidate.id].name == "ada"
