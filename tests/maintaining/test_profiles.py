"""What an agent says of itself: hidden with its description, in its results too, shown again, and erased for good."""

from collections.abc import Callable

import pytest

from tests import make
from tests.checking.halls import check
from tests.maintaining.people import act_as, maintainer
from tests.maintaining.test_hiding import everything
from viva.agents import accounts
from viva.agents import store as agents
from viva.agents.model import Agent, AgentDetails
from viva.exams import qualifying
from viva.jobs import queue
from viva.kit.db import Connection, Database
from viva.maintaining import account_deletion, cleaning, hidden_texts, hiding, profiles, voiding
from viva.maintaining.hidden_texts import HiddenAlready
from viva.results import leaderboard, statements
from viva.results import store as results
from viva.results.facts import find_differences
from viva.results.model import NamedResult

WORDS = ("zorkowner", "zorkmodel", "zorkframe", "zorkversion", "zorktext")
SAID = dict(zip(("owner", "model", "framework", "version"), WORDS, strict=False))
REASON = "Advertising."


def taken_by(db: Connection, agent: Agent, proctor: str) -> NamedResult:
    started, _ = make.claim(db, agent, make.agent(db, proctor))
    return make.decide(db, started, make.found_agent(db, proctor), score=90.0)


def spammer(db: Connection) -> tuple[Agent, NamedResult]:
    """An agent that says five things of itself, and its result."""
    make.evaluation(db)
    ada = accounts.change(db, make.agent(db, "ada"), None, WORDS[-1], **SAID)
    return ada, taken_by(db, ada, "paul")


def words_in(db: Connection, without: tuple[str, ...] = ("hidden_texts",)) -> list[str]:
    left = everything(db, without)
    return [word for word in WORDS if word in left]


def copies_in(db: Connection, result: NamedResult) -> list[str | None]:
    kept = results.get(db, result.id)
    return [kept.agent_owner, kept.agent_model, kept.agent_framework, kept.agent_version]


def versions(db: Connection) -> list[tuple[str | None, int]]:
    lines = leaderboard.top(db, "good-manners", None, 10, None, "any", each="version").items
    return [(line.agent_version, line.attempts) for line in lines]


def find_changed(db: Connection, result: NamedResult) -> list[str]:
    """What the row says otherwise than the statement in force."""
    signed = statements.read_signed(db, result.id)
    assert signed
    kept = results.get(db, result.id)
    return [each.field for each in find_differences(signed.in_force.facts, kept, signed.salts)]


def test_what_an_agent_says_of_itself_is_hidden_with_its_description_also_in_its_results(db):
    ada, result = spammer(db)
    maintainer(db)
    salts = statements.read_salts(db, result.id)

    line = hiding.hide(db, "description", ada.id, REASON).line

    assert words_in(db) == []
    assert agents.get_details(db, ada.id) == AgentDetails(line, line, line, line)
    assert copies_in(db, result) == [line] * 4
    assert versions(db) == [(line, 1)]
    assert not any(salts[f"agent_{name}"] in everything(db) for name in SAID)
    original = hidden_texts.get(db, "description", ada.id).original
    assert original.splitlines() == [WORDS[-1], *(f"{name.capitalize()}: {text}" for name, text in SAID.items())]


def test_it_is_shown_again_as_it_was(db):
    ada, result = spammer(db)
    maintainer(db)
    before = statements.read_salts(db, result.id)
    hiding.hide(db, "description", ada.id, REASON)
    while_hidden = taken_by(db, ada, "pia")

    hiding.show_again(db, "description", ada.id)

    assert agents.get(db, ada.id).description == WORDS[-1]
    assert agents.get_details(db, ada.id) == AgentDetails(**SAID)
    assert copies_in(db, result) == list(SAID.values())
    assert copies_in(db, while_hidden) == [None] * 4
    assert sorted(versions(db)) == [("", 1), (SAID["version"], 1)]
    assert statements.read_salts(db, result.id) == before
    assert REASON not in everything(db, without=())


def test_erased_for_good_it_stands_nowhere(db):
    ada, result = spammer(db)
    maintainer(db)
    line = hiding.hide(db, "description", ada.id, REASON).line

    hiding.erase(db, "description", ada.id)

    assert words_in(db, without=()) == []
    assert copies_in(db, result) == [line] * 4


def test_the_hub_is_clean_before_while_it_is_hidden_and_after(database: Database):
    ada, result = database.write_now(spammer)
    mary = database.write_now(maintainer)

    def act(action: Callable[[Connection], object]) -> list[str]:
        def unit(db: Connection) -> list[str]:
            act_as(db, mary)
            action(db)
            return find_changed(db, result)

        return [*database.write_now(unit), *(each.sentence for each in check(database).findings)]

    assert act(lambda db: None) == []
    assert act(lambda db: hiding.hide(db, "description", ada.id, REASON)) == []
    assert act(lambda db: taken_by(db, ada, "pia")) == []
    assert act(lambda db: voiding.void(db, result.id, "Both shouted.")) == []  # signed while it is hidden
    assert act(lambda db: hiding.show_again(db, "description", ada.id)) == []
    assert act(lambda db: hiding.hide(db, "description", ada.id, REASON)) == []
    assert act(lambda db: hiding.erase(db, "description", ada.id)) == []
    assert database.read_now(lambda db: words_in(db, without=())) == []
    forged = "UPDATE evaluation_results SET agent_model = 'forged' WHERE id = ?"
    assert "agent_model_hash" in act(lambda db: db.execute(forged, [result.id]))


def finish(database: Database) -> int:
    """Do every step that jobs have to do. Returns how many there were."""

    def unit(db: Connection) -> bool:
        waiting = [job for job in queue.list_jobs(db, "waiting", 200, None).items if job.work == profiles.HIDE_WORK]
        for job in waiting:
            assert profiles.work().keep(db, job.data["agent_id"], None, False) is None
            db.execute("DELETE FROM jobs WHERE id = ?", [job.id])
        return bool(waiting)

    steps = 0
    while database.write_now(unit):
        steps += 1
    return steps


def copies_of(database: Database, result: NamedResult) -> list[str | None]:
    return database.read_now(lambda db: copies_in(db, result))


def examined(database: Database, count: int) -> tuple[Agent, list[NamedResult]]:
    """An agent with so many results in two versions, the best ones first."""

    def unit(db: Connection) -> tuple[Agent, list[NamedResult]]:
        make.evaluation(db)
        ada, paul, taken = make.agent(db, "ada"), make.agent(db, "paul"), []
        for place in range(count):
            accounts.change(db, ada, None, WORDS[-1], **(SAID | {"version": f"zorkversion {place % 2}"}))
            taken.append(make.result(db, ada, paul, score=90.0 - place))
        return ada, taken

    return database.write_now(unit)


def test_many_results_are_hidden_in_short_units_and_the_sums_hold_after_each(database: Database, monkeypatch):
    monkeypatch.setattr(profiles, "COPIES_PER_STEP", 2)
    ada, taken = examined(database, 5)
    mary = database.write_now(maintainer)

    def hide(db: Connection) -> None:
        act_as(db, mary)
        hiding.hide(db, "description", ada.id, REASON)

    database.write_now(hide)
    left = ["zorkmodel" in copies_of(database, each) for each in taken]
    assert left == [True, True, True, False, False]  # the worst ones are hidden first
    assert check(database).findings == []
    database.write_now(lambda db: accounts.change(db, ada, None, None, model="calm"))
    later = database.write_now(lambda db: make.result(db, ada, make.found_agent(db, "paul")))

    assert finish(database) == 2

    assert database.read_now(words_in) == []
    assert copies_of(database, later)[1] == "calm"
    assert check(database).findings == []
    database.write_now(lambda db: hiding.show_again(db, "description", ada.id))
    versions_shown = [copies_of(database, each)[3] for each in taken]
    assert versions_shown == [f"zorkversion {place % 2}" for place in range(5)]
    assert check(database).findings == []


@pytest.mark.parametrize("last", ["show", "erase", "delete"])
def test_what_comes_before_the_last_step_is_not_undone_by_it(database: Database, monkeypatch, last: str):
    monkeypatch.setattr(profiles, "COPIES_PER_STEP", 2)
    ada, taken = examined(database, 3)
    database.write_now(maintainer)
    database.write_now(lambda db: hiding.hide(db, "description", ada.id, REASON))

    def act(db: Connection) -> None:
        match last:
            case "show":
                hiding.show_again(db, "description", ada.id)
            case "erase":
                hiding.erase(db, "description", ada.id)
            case _:
                account_deletion.delete_account(db, agents.get(db, ada.id))

    database.write_now(act)
    finish(database)

    models = [copies_of(database, each)[1] for each in taken]
    line = database.read_now(lambda db: agents.get_details(db, ada.id)).model
    assert models == {"show": ["zorkmodel"] * 3, "erase": [line] * 3, "delete": [None] * 3}[last]
    assert (database.read_now(lambda db: words_in(db, without=())) == []) is (last != "show")
    assert check(database).findings == []


def test_what_it_says_since_can_be_hidden_too_and_nothing_is_lost(db):
    ada, result = spammer(db)
    maintainer(db)
    hiding.hide(db, "description", ada.id, REASON)
    accounts.change(db, ada, None, None, model="zorkmodel again")
    later = taken_by(db, ada, "pia")

    hiding.hide(db, "description", ada.id, "More of it.")

    assert words_in(db) == []
    hiding.show_again(db, "description", ada.id)
    assert agents.get_details(db, ada.id) == AgentDetails(**(SAID | {"model": "zorkmodel again"}))
    assert copies_in(db, result) == list(SAID.values())
    assert copies_in(db, later) == [None, "zorkmodel again", None, None]


def test_what_it_says_since_stays_when_the_rest_is_shown(db):
    ada, _ = spammer(db)
    maintainer(db)
    hiding.hide(db, "description", ada.id, REASON)
    accounts.change(db, ada, None, "Makes tea.", model="calm")

    hiding.show_again(db, "description", ada.id)

    assert agents.get(db, ada.id).description == "Makes tea."
    assert agents.get_details(db, ada.id) == AgentDetails(**(SAID | {"model": "calm"}))


def test_words_of_results_alone_are_hidden(db):
    ada, result = spammer(db)
    ada = accounts.change(db, ada, None, "", owner="", model="", framework="", version="")
    maintainer(db)

    assert cleaning.suspend_all(db, [ada.id], REASON, hides_texts=True).texts == 2  # its name, too
    assert words_in(db) == []
    assert "In results: zorkmodel" in hidden_texts.get(db, "description", ada.id).original
    with pytest.raises(HiddenAlready), make.unit(db):
        hiding.hide(db, "description", ada.id, REASON)
    cleaning.restore_all(db, [ada.id], shows_texts=True)
    assert copies_in(db, result) == list(SAID.values())


def test_words_that_pose_as_a_line_are_hidden(db):
    make.evaluation(db)
    ada = accounts.change(db, make.agent(db, "ada"), None, "Hidden by zork", model="Hidden by zork")
    result = taken_by(db, ada, "paul")
    maintainer(db)

    hiding.hide(db, "description", ada.id, REASON)

    assert "by zork" not in everything(db)
    hiding.show_again(db, "description", ada.id)
    assert results.get(db, result.id).agent_model == "Hidden by zork"
    assert find_changed(db, result) == []


def test_a_long_reason_fits_where_a_detail_fits(db):
    ada, result = spammer(db)
    maintainer(db)

    line = hiding.hide(db, "description", ada.id, "A" * 500).line

    assert agents.get(db, ada.id).description == line
    short = results.get(db, result.id).agent_model or ""
    assert (len(short), line.startswith(short[:-1]), short[-1]) == (200, True, "…")
    assert accounts.change(db, ada, None, None, model="calm").id == ada.id


def test_of_deleted_accounts_nothing_and_no_line_of_a_deleted_maintainer_stays(db):
    ada, result = spammer(db)
    eve = accounts.change(db, make.agent(db, "eve"), None, WORDS[-1], **SAID)
    hers = taken_by(db, eve, "pia")
    mary = maintainer(db)
    for agent in (ada, eve):
        hiding.hide(db, "description", agent.id, REASON)
    maintainer(db, "marta")

    account_deletion.delete_account(db, ada)
    account_deletion.delete_account(db, mary)

    assert words_in(db) == []
    assert copies_in(db, result) == [None] * 4
    assert set(copies_in(db, hers)) == {agents.get_details(db, eve.id).model}
    assert "Hidden by deleted agent on" in str(copies_in(db, hers)[0])
    assert "Hidden by mary" not in everything(db, without=())
    assert sorted(version or "" for version, _ in versions(db)) == sorted(["", copies_in(db, hers)[3] or ""])


def test_agents_with_hidden_owners_have_no_owner_in_common():
    line = "Hidden by mary on 2026-11-19. Reason: Advertising."

    assert qualifying.names_of([line, None, " Ada's  house "]) == {"ada's house"}
