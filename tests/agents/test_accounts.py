"""Accounts and their keys, from registering to deleting."""

import re

import pytest

from tests import make
from viva.agents import access, accounts, store
from viva.agents.access import ApiKey, MaintainersOnly, WrongKey
from viva.agents.model import BadName, name_key
from viva.agents.store import NameTaken, NoSuchAgent


def test_who_registers_gets_an_account_and_a_key_that_opens_it(db):
    account = accounts.register(db, "Ada", "Knows engines.")

    agent = access.caller(db, account.key.text)
    assert agent == account.agent
    assert (agent.name, agent.description, agent.is_maintainer) == ("Ada", "Knows engines.", False)
    assert agent.id.startswith("agent_")


def test_a_key_has_256_random_bits(db):
    keys = {accounts.register(db, f"agent-{number}", "").key.text for number in range(5)}

    assert len(keys) == 5
    assert all(re.fullmatch(r"viva_[A-Za-z0-9_-]{43}", key) for key in keys)


def test_a_key_is_kept_as_a_hash_and_a_few_characters(db):
    key = accounts.register(db, "ada", "").key

    (row,) = db.execute("SELECT hash, prefix FROM agent_keys").fetchall()

    assert tuple(row) == (key.hash, key.text[:11])
    assert key.text not in str(tuple(row))


@pytest.mark.parametrize("key", ["", "viva_", "viva_guess", "x" * 1000, "é"])
def test_a_key_that_nobody_has_is_refused(db, key):
    make.agent(db, "ada")

    with pytest.raises(WrongKey) as refused:
        access.caller(db, key)

    assert refused.value.status == 401


# Names


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "Ada Lovelace",
        "ada-1_2.3",
        "Ada's agent (v2)",
        "Ада",
        "阿达",
        "翻訳 bot 2",
        "한국어 모델",
        "Nguyễn",
        "🤖",
        "❤",
        "%_%",
        "a" * 200,
        "deleted",
        "me too",
    ],
)
def test_a_name_that_can_be_read_is_taken(db, name):
    assert accounts.register(db, name, "").agent.name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        " ada",
        "ada ",
        "ada\n",
        "a\tb",
        "a\0b",
        "a/b",
        "a" * 201,
        "a\u200bb",  # a space of no width
        "\u202eada",  # turns the writing round
        "\u00a0",
        "a\u00a0b",
        "me",
        "ME",
        "ｍｅ",
        "register",
        "deleted agent",
        "Deleted Agent",
    ],
)
def test_a_name_that_cannot_be_read_or_has_another_meaning_is_refused(db, name):
    with pytest.raises(BadName) as refused:
        accounts.register(db, name, "")

    assert refused.value.status == 422
    assert [fault.field for fault in refused.value.faults] == ["name"]


@pytest.mark.parametrize("name", ["\u3164", "\u2800", "\u115f", "\ufe0f", "\u034f\u034f"])
def test_a_name_that_nobody_sees_is_refused(db, name):
    with pytest.raises(BadName):
        accounts.register(db, name, "")


@pytest.mark.parametrize(
    ("taken", "look_alike"),
    [
        ("Ada", "ada"),
        ("Ada", "ADA"),
        ("Ada", "Ａｄａ"),
        ("Ada", "𝐀𝐝𝐚"),
        ("Zoë", "Zoe\u0308"),
        ("Straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("Kelvin", "\u212aelvin"),
    ],
)
def test_a_name_that_looks_like_another_is_taken(db, taken, look_alike):
    make.agent(db, taken)

    with pytest.raises(NameTaken):
        make.agent(db, look_alike)


@pytest.mark.parametrize("look_alike", ["Ada\ufe0f", "A\u034fda", "Ada\u3164"])
def test_signs_that_nobody_sees_make_no_new_name(db, look_alike):
    make.agent(db, "Ada")

    with pytest.raises((NameTaken, BadName)):
        make.agent(db, look_alike)


def test_an_agent_is_found_by_any_spelling_of_its_name(db):
    ada = make.agent(db, "Ada")

    assert store.find_by_name(db, name_key("ADA")) == ada
    assert store.profile(db, name_key("Ａｄａ")).id == ada.id
    assert store.get_by_name_or_id(db, ada.id, name_key(ada.id)) == ada
    assert store.get_by_name_or_id(db, "aDa", name_key("aDa")) == ada


def test_an_agent_named_like_anothers_id_is_not_taken_for_it(db):
    ada = make.agent(db, "ada")
    try:
        with make.unit(db):
            make.agent(db, ada.id)
    except BadName:
        return  # as good
    accounts.change(db, ada, "lovelace", None)  # PostgreSQL puts a changed row behind the others

    assert store.get_by_name_or_id(db, ada.id, name_key(ada.id)).name == "lovelace"


def test_who_is_not_there_is_not_found(db):
    with pytest.raises(NoSuchAgent):
        store.get(db, "agent_x")
    with pytest.raises(NoSuchAgent):
        store.profile(db, "nobody")
    with pytest.raises(NoSuchAgent):
        store.get_by_name_or_id(db, "nobody", "nobody")
    assert store.find_by_name(db, "nobody") is None


# Changing


def test_name_and_description_change_each_by_itself(db):
    ada = accounts.register(db, "ada", "Knows engines.").agent

    renamed = accounts.change(db, ada, "Lovelace", None)
    described = accounts.change(db, renamed, None, "Knows numbers.")

    assert (renamed.name, renamed.description) == ("Lovelace", "Knows engines.")
    assert (described.name, described.description) == ("Lovelace", "Knows numbers.")
    assert described.id == ada.id


def test_a_description_can_be_emptied(db):
    ada = accounts.register(db, "ada", "Knows engines.").agent

    assert accounts.change(db, ada, None, "").description == ""


def test_an_agent_may_spell_its_own_name_in_another_way(db):
    ada = make.agent(db, "ada")

    assert accounts.change(db, ada, "ADA", None).name == "ADA"


def test_nobody_takes_the_name_of_another_by_renaming(db):
    make.agent(db, "ada")
    paul = make.agent(db, "paul")

    with pytest.raises(NameTaken), make.unit(db):
        accounts.change(db, paul, "Ada", None)

    assert store.get(db, paul.id).name == "paul"


def test_nobody_renames_to_a_bad_name(db):
    ada = make.agent(db, "ada")

    with pytest.raises(BadName):
        accounts.change(db, ada, "deleted agent", None)


# Keys


def test_after_rotating_the_old_key_stops_and_the_new_one_works(db):
    ada, old = accounts.register(db, "ada", "")

    new = accounts.rotate(db, ada, old)

    assert new.text != old.text
    assert access.caller(db, new.text) == ada
    with pytest.raises(WrongKey):
        access.caller(db, old.text)


def test_rotating_one_key_leaves_the_others(db):
    ada, first = accounts.register(db, "ada", "")
    second = accounts.add_key(db, ada)

    accounts.rotate(db, ada, first)

    assert access.caller(db, second.text) == ada


def test_revoking_stops_every_key_of_the_agent_and_of_nobody_else(db):
    ada, first = accounts.register(db, "ada", "")
    second = accounts.add_key(db, ada)
    paul, his = accounts.register(db, "paul", "")

    store.drop_keys(db, ada.id)

    for key in (first, second):
        with pytest.raises(WrongKey):
            access.caller(db, key.text)
    assert access.caller(db, his.text) == paul


# Maintainers


def test_promoting_makes_a_maintainer_of_an_agent_and_drops_the_keys_that_strangers_may_have(db):
    ada, key = accounts.register(db, "ada", "Knows engines.")

    promoted = accounts.promote(db, "ADA")

    assert (promoted.agent.id, promoted.agent.is_maintainer) == (ada.id, True)
    assert access.caller(db, promoted.key.text) == promoted.agent
    with pytest.raises(WrongKey):
        access.caller(db, key.text)


def test_promoting_somebody_new_makes_the_account(db):
    promoted = accounts.promote(db, "grace")

    assert (promoted.agent.name, promoted.agent.is_maintainer) == ("grace", True)
    assert access.caller(db, promoted.key.text) == promoted.agent


def test_nobody_is_promoted_under_a_bad_name(db):
    with pytest.raises(BadName):
        accounts.promote(db, "me")


def test_only_maintainers_pass_where_a_maintainer_is_required(db):
    access.require_maintainer(accounts.promote(db, "grace").agent)

    with pytest.raises(MaintainersOnly):
        access.require_maintainer(make.agent(db, "ada"))


# Deleting


def test_a_deleted_agent_has_no_name_no_words_no_rights_and_no_keys(db):
    ada = accounts.promote(db, "ada")
    accounts.change(db, ada.agent, None, "Knows engines.")

    accounts.delete(db, ada.agent)

    erased = store.get(db, ada.agent.id)
    assert (erased.name, erased.description, erased.is_maintainer) == ("deleted agent", "", False)
    assert store.find_by_key(db, ada.key.hash) is None
    assert store.find_by_name(db, "ada") is None
    with pytest.raises(NoSuchAgent):
        store.profile(db, "ada")


def test_any_number_of_agents_can_be_deleted(db):
    for name in ("ada", "paul", "pia"):
        accounts.delete(db, make.agent(db, name))

    assert db.execute("SELECT count(*) FROM agents WHERE name IS NULL").fetchone() == (3,)


def test_deleting_one_agent_leaves_the_keys_of_others(db):
    paul, key = accounts.register(db, "paul", "")

    accounts.delete(db, make.agent(db, "ada"))

    assert access.caller(db, ApiKey(key.text).text) == paul


# Registering at once


def test_of_many_who_register_one_name_at_once_one_gets_it(database):
    spellings = ["ada", "Ada", "ADA", "ａｄａ"] * 3

    outcomes = make.together(
        *(lambda name=name: database.write_now(lambda db: accounts.register(db, name, "")) for name in spellings)
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Account"] + ["NameTaken"] * 11


# Points


def test_who_has_no_results_has_no_points(db):
    make.agent(db, "ada")

    profile = store.profile(db, "ada")

    assert (profile.points, profile.results) == (0, 0)


def test_the_best_passed_attempt_of_each_evaluation_counts_once(db):
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    make.evaluation(db, points=10)
    make.result(db, ada, paul, passed=True)
    make.result(db, ada, paul, passed=False)
    make.result(db, ada, paul, passed=True)
    make.evaluation(db, points=7, version="1.1.0")
    make.result(db, ada, paul, passed=True)

    profile = store.profile(db, "ada")

    assert (profile.points, profile.results) == (10, 4)


def test_points_of_several_evaluations_add_up_and_failing_earns_none(db):
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    make.evaluation(db, points=2.5)
    make.result(db, ada, paul)
    make.evaluation(db, id="tea-making", sip=8, points=4)
    make.evaluation(db, id="hard-one", sip=9, points=100)
    make.result(db, ada, paul, evaluation_id="tea-making")
    make.result(db, ada, paul, passed=False, evaluation_id="hard-one")
    make.result(db, paul, ada)

    assert store.profile(db, "ada").points == 6.5
    assert store.profile(db, "paul").points == 2.5


@pytest.mark.parametrize("name", ["deleted  agent", "Deleted   Agent"])
def test_a_reserved_name_is_reserved_however_many_spaces_it_has(db, name):
    with pytest.raises(BadName):
        accounts.register(db, name, "")


def test_names_that_differ_in_the_number_of_spaces_are_one(db):
    make.agent(db, "Ada Lovelace")

    with pytest.raises(NameTaken):
        make.agent(db, "Ada  Lovelace")
