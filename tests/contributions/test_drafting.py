"""Drafts: who may change them, what their history holds, and what two editors do to each other."""

import time
from typing import Any

import pytest
from msgspec import structs

from tests import make
from tests.contributions.proposals import by_agent, by_mail, proposal
from viva.agents.model import Agent
from viva.contributions import (
    bounds,
    collaborators,
    differences,
    documents,
    drafting,
    forking,
    ownership,
    reviewing,
    revisions,
    store,
    submitting,
)
from viva.contributions.drafting import NewDraft
from viva.contributions.model import WrongState
from viva.contributions.ownership import ContributorOnly, Editor, NotYourDraft, Visitor
from viva.contributions.store import NoSuchContribution, StaleRevision
from viva.evaluations import sip as sips
from viva.evaluations.sip import Executable
from viva.evaluations.store import NoSuchEvaluation
from viva.kit.db import Connection
from viva.kit.errors import Invalid


@pytest.fixture
def ada(db: Connection) -> Agent:
    return make.agent(db, "ada")


@pytest.fixture
def draft(db: Connection, ada: Agent) -> NewDraft:
    return drafting.create(db, make.HALL, proposal(), by_agent(ada))


def editor_of(db: Connection, draft: NewDraft, agent: Agent | None = None, token: str | None = None) -> Editor:
    return ownership.find_editor(db, draft.contribution.id, agent, token)


def test_draft_saving_and_loading_works(db, ada, draft):
    editor = editor_of(db, draft, ada)

    saved = drafting.update(db, editor, draft.contribution.id, proposal(name="Kinder refusals", author="ada"), 1)

    loaded = store.get(db, draft.contribution.id)
    assert (loaded.name, loaded.status, loaded.revision, loaded.author) == ("Kinder refusals", "draft", 2, "ada")
    assert loaded == saved
    assert loaded.proposal == proposal(name="Kinder refusals", author="ada")


def test_preview_generates_correct_markdown(db, ada, draft):
    loaded = store.get(db, draft.contribution.id).proposal

    text = documents.text_of(loaded, 100)

    sip = sips.parse(text)
    assert (sip.sip, sip.name, sip.type, sip.status) == (100, loaded.name, loaded.type, "active")
    assert (sip.config, sip.exemplars, sip.research_basis) == (loaded.config, loaded.exemplars, loaded.research_basis)
    assert sips.purpose_of(sip) == loaded.description
    assert documents.proposal_of(sip).config == loaded.config
    assert sips.render(sip) == text


def test_a_config_keeps_the_order_of_its_keys(db, ada):
    made = drafting.create(db, make.HALL, proposal(config={"zebra": 1, "a": {"yak": 1, "b": 2}}), by_agent(ada))

    config = store.get(db, made.contribution.id).config

    assert list(config) == ["zebra", "a"]
    assert list(config["a"]) == ["yak", "b"]


def test_a_contributor_without_an_account_gets_a_token_that_opens_the_draft(db):
    made = drafting.create(db, make.HALL, proposal(), by_mail("Mia"))

    editor = editor_of(db, made, token=made.token)

    assert made.token
    assert made.token.startswith("viva_contrib_")
    assert (editor.role, editor.name, editor.contribution.contributor_email) == (
        "contributor",
        "Mia",
        "mia@example.org",
    )
    assert made.token not in str(db.execute("SELECT token_hash FROM evaluation_contributions").fetchall())


def test_an_account_needs_no_token(draft):
    assert draft.token is None


@pytest.mark.parametrize(
    ("name", "email", "fields"),
    [
        (None, None, ["contributor_name", "contributor_email"]),
        ("Mia", "mia", ["contributor_email"]),
        ("Mia", "mia@example.org\nBcc: all@example.org", ["contributor_email"]),
        ("Mia", f"{'m' * 250}@example.org", ["contributor_email"]),
        ("M\nia", "mia@example.org", ["contributor_name"]),
        ("M" * 201, "mia@example.org", ["contributor_name"]),
    ],
)
def test_whoever_has_no_account_gives_a_name_and_an_address(name, email, fields):
    with pytest.raises(Invalid) as refused:
        ownership.read_contributor(None, name, email)

    assert [fault.field for fault in refused.value.faults] == fields


def test_strangers_do_not_find_a_draft(db, draft):
    other = drafting.create(db, make.HALL, proposal(), by_mail("Otto"))

    for agent, token in [(make.agent(db, "eve"), None), (None, other.token), (None, "viva_contrib_x"), (None, None)]:
        with pytest.raises(NoSuchContribution):
            editor_of(db, draft, agent, token)


def test_a_maintainer_reads_a_draft_and_changes_nothing(db, draft):
    paul = structs.replace(make.agent(db, "paul"), is_maintainer=True)
    editor = editor_of(db, draft, paul)

    with pytest.raises(NotYourDraft):
        drafting.update(db, editor, draft.contribution.id, proposal(), None)
    with pytest.raises(NotYourDraft):
        submitting.submit(db, make.HALL, editor, draft.contribution.id)
    with pytest.raises(ContributorOnly):
        drafting.delete(db, editor, draft.contribution.id)


def test_the_second_of_two_editors_is_told_and_nothing_is_lost(db, ada, draft):
    editor, id_ = editor_of(db, draft, ada), draft.contribution.id
    drafting.update(db, editor, id_, proposal(name="First"), 1)

    with pytest.raises(StaleRevision, match="The present revision is 2"):
        drafting.update(db, editor, id_, proposal(name="Second"), 1)

    assert store.get(db, id_).name == "First"
    assert revisions.get_content(db, id_, 1).name == "Kind refusals"
    assert revisions.get_content(db, id_, 2).name == "First"


def test_the_statement_itself_refuses_another_revision_or_state(db, ada, draft):
    id_ = draft.contribution.id

    with pytest.raises(StaleRevision):
        store.save(db, id_, proposal(name="Second"), 2)
    submitted = submitting.submit(db, make.HALL, editor_of(db, draft, ada), id_).contribution
    with pytest.raises(WrongState):
        store.save(db, id_, proposal(name="Second"), 1)
    store.move_to(db, submitted, "under_review")
    with pytest.raises(WrongState):
        store.move_to(db, submitted, "draft")  # as it was read before


def test_of_two_parallel_editors_one_wins(database):
    ada = database.write_now(lambda db: make.agent(db, "ada"))
    made = database.write_now(lambda db: drafting.create(db, make.HALL, proposal(), by_agent(ada)))

    def edit(name: str) -> Any:
        def unit(db: Connection) -> Any:
            editor = editor_of(db, made, ada)
            return drafting.update(db, editor, made.contribution.id, proposal(name=name), 1)

        return database.write_now(unit)

    outcomes = make.together(lambda: edit("First"), lambda: edit("Second"))

    winner = next(outcome for outcome in outcomes if not isinstance(outcome, Exception))
    assert sorted(isinstance(outcome, StaleRevision) for outcome in outcomes) == [False, True]
    assert database.read_now(lambda db: store.get(db, made.contribution.id)) == winner


def test_parallel_changes_of_other_fields_are_both_kept(database, monkeypatch):
    # Long enough for the other to read the same draft, if nothing keeps it from it.
    monkeypatch.setattr(bounds, "check_bounds", lambda proposal: time.sleep(0.05))
    ada = database.write_now(lambda db: make.agent(db, "ada"))
    made = database.write_now(lambda db: drafting.create(db, make.HALL, proposal(), by_agent(ada)))

    def change(**changes: Any) -> Any:
        return database.write_now(
            lambda db: drafting.change(db, editor_of(db, made, ada), made.contribution.id, changes, None)
        )

    make.together(lambda: change(name="First"), lambda: change(title="Second"))

    kept = database.read_now(lambda db: store.get(db, made.contribution.id))
    assert (kept.name, kept.title, kept.revision) == ("First", "Second", 3)


def test_saving_the_same_again_makes_no_revision(db, ada, draft):
    saved = drafting.update(db, editor_of(db, draft, ada), draft.contribution.id, draft.contribution.proposal, 1)

    assert saved.revision == 1
    assert [each.revision for each in drafting.list_history(db, editor_of(db, draft, ada))] == [1]


def test_history_shows_who_changed_what_and_can_be_restored(db, ada, draft):
    editor, id_ = editor_of(db, draft, ada), draft.contribution.id
    drafting.update(db, editor, id_, proposal(name="Second", config={"a": 1, "b": 2}, author="ada"), 1)

    restored = drafting.restore(db, editor, id_, 1)

    history = drafting.list_history(db, editor)
    before, after = (revisions.get_content(db, id_, number) for number in (1, 2))
    assert [(each.revision, each.editor_name) for each in history] == [(3, "ada"), (2, "ada"), (1, "ada")]
    assert restored.proposal == before
    assert [change.field for change in differences.list_changes(before, after)] == ["name", "config"]


def test_the_oldest_revision_that_was_not_submitted_is_dropped(db, ada, draft, monkeypatch):
    monkeypatch.setattr(revisions, "MAX_REVISIONS", 3)
    id_ = draft.contribution.id
    submitting.submit(db, make.HALL, editor_of(db, draft, ada), id_)
    paul = structs.replace(make.agent(db, "paul"), is_maintainer=True)
    reviewing.request_changes(db, id_, paul, "Please shorten it.")

    for number in range(4):
        drafting.update(db, editor_of(db, draft, ada), id_, proposal(name=f"Name {number}"), None)

    kept = [(each.revision, each.submission) for each in revisions.list_revisions(db, id_)]
    assert kept == [(5, None), (4, None), (1, 1)]
    with pytest.raises(revisions.NoSuchRevision):
        revisions.get_content(db, id_, 2)


def test_a_history_of_large_revisions_is_shorter(db, ada, draft, monkeypatch):
    """Otherwise one address could fill the disk with the histories of its drafts."""
    monkeypatch.setattr(revisions, "MAX_HISTORY_CHARACTERS", 30_000)
    id_ = draft.contribution.id

    for number in range(4):
        drafting.update(db, editor_of(db, draft, ada), id_, proposal(body=f"{number}" * 10_000), None)

    assert [each.revision for each in revisions.list_revisions(db, id_)] == [5, 4]
    drafting.update(db, editor_of(db, draft, ada), id_, proposal(body="x" * 40_000), None)
    assert [each.revision for each in revisions.list_revisions(db, id_)] == [6]


def test_only_a_draft_can_be_changed_or_deleted(db, ada, draft):
    id_ = draft.contribution.id
    submitting.submit(db, make.HALL, editor_of(db, draft, ada), id_)
    editor = editor_of(db, draft, ada)

    with pytest.raises(WrongState):
        drafting.update(db, editor, id_, proposal(name="Later"), None)
    with pytest.raises(WrongState):
        drafting.restore(db, editor, id_, 1)
    with pytest.raises(WrongState):
        drafting.delete(db, editor, id_)
    with pytest.raises(WrongState):
        drafting.invite(db, editor, id_, "Pia")


def test_a_deleted_draft_leaves_nothing(db, ada, draft):
    drafting.invite(db, editor_of(db, draft, ada), draft.contribution.id, "Pia")

    drafting.delete(db, editor_of(db, draft, ada), draft.contribution.id)

    for table in ("contributions", "contribution_revisions", "contribution_collaborators"):
        assert db.execute(f"SELECT count(*) FROM evaluation_{table}").fetchone() == (0,)


def test_a_collaborator_with_an_account_edits_and_the_link_ends(db, ada, draft):
    pia = make.agent(db, "pia")
    invitation = drafting.invite(db, editor_of(db, draft, ada), draft.contribution.id, "Pia")

    editor = drafting.join(db, invitation.token, pia)

    saved = drafting.update(db, editor, draft.contribution.id, proposal(name="Ours"), 1)
    assert (editor.role, editor.name, saved.name) == ("collaborator", "pia", "Ours")
    assert drafting.list_drafts(db, Visitor(pia)).total == 1
    with pytest.raises(NoSuchContribution):
        editor_of(db, draft, token=invitation.token)
    with pytest.raises(collaborators.NoSuchInvitation):
        drafting.join(db, invitation.token, make.agent(db, "eve"))
    with pytest.raises(ContributorOnly):
        drafting.delete(db, editor, draft.contribution.id)
    with pytest.raises(ContributorOnly):
        drafting.invite(db, editor, draft.contribution.id, "Eve")


def test_a_collaborator_without_an_account_edits_by_the_link_until_removed(db, ada, draft):
    owner = editor_of(db, draft, ada)
    invitation = drafting.invite(db, owner, draft.contribution.id, "Pia")

    editor = drafting.join(db, invitation.token, None, "Pia Park")

    assert (editor.role, editor.name) == ("collaborator", "Pia Park")
    drafting.remove_collaborator(db, owner, draft.contribution.id, invitation.collaborator.id)
    with pytest.raises(NoSuchContribution):
        editor_of(db, draft, token=invitation.token)


def test_an_account_joins_a_draft_once(db, ada, draft):
    pia = make.agent(db, "pia")
    owner = editor_of(db, draft, ada)
    first, second = (drafting.invite(db, owner, draft.contribution.id, "Pia") for _ in range(2))
    drafting.join(db, first.token, pia)

    with pytest.raises(collaborators.CollaboratesAlready), make.unit(db):
        drafting.join(db, second.token, pia)


def test_collaborators_are_limited(db, ada, draft, monkeypatch):
    monkeypatch.setattr(collaborators, "MAX_COLLABORATORS", 1)
    drafting.invite(db, editor_of(db, draft, ada), draft.contribution.id, "Pia")

    with pytest.raises(drafting.TooManyCollaborators):
        drafting.invite(db, editor_of(db, draft, ada), draft.contribution.id, "Nora")


def test_drafts_are_listed_by_status_and_page(db, ada, draft):
    for number in range(2):
        drafting.create(db, make.HALL, proposal(name=f"Name {number}"), by_agent(ada))
    submitting.submit(db, make.HALL, editor_of(db, draft, ada), draft.contribution.id)
    drafting.create(db, make.HALL, proposal(), by_agent(make.agent(db, "eve")))

    everything = drafting.list_drafts(db, Visitor(ada))
    in_progress = drafting.list_drafts(db, Visitor(ada), "in_progress", limit=1, offset=1)

    assert [each.name for each in everything.contributions] == ["Kind refusals", "Name 1", "Name 0"]
    assert ([each.name for each in in_progress.contributions], in_progress.total) == (["Name 0"], 2)
    assert drafting.list_drafts(db, Visitor(ada), "merged").contributions == []
    assert drafting.list_drafts(db, Visitor()).total == 0


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "n" * 501}, "name"),
        ({"description": "d" * 4_001}, "description"),
        ({"executable_code": "c" * 65_537}, "executable_code"),
        ({"config": {"text": "t" * 256 * 1024}}, "config"),
        ({"config": {"many": [1] * 20_001}}, "config"),
        ({"exemplars": [{}] * 201}, "exemplars"),
        ({"prerequisites": ["p"] * 51}, "prerequisites"),
        ({"prerequisites": ["p" * 501]}, "prerequisites[0]"),
        ({"title": "null\0"}, "title"),
    ],
)
def test_what_is_too_large_is_refused_with_its_field(db, ada, draft, changes, field):
    with pytest.raises(Invalid) as refused:
        drafting.update(db, editor_of(db, draft, ada), draft.contribution.id, proposal(**changes), 1)

    assert [fault.field for fault in refused.value.faults] == [field]
    assert store.get(db, draft.contribution.id).revision == 1


@pytest.mark.parametrize("depth", [20, 21, 5_000])
def test_a_config_nests_20_levels_at_most(db, ada, depth):
    nested: Any = 1
    for _ in range(depth):
        nested = {"x": nested}

    if depth == 20:
        drafting.create(db, make.HALL, proposal(config=nested), by_agent(ada))
    else:
        with pytest.raises(Invalid):
            drafting.create(db, make.HALL, proposal(config=nested), by_agent(ada))


def test_a_fork_has_the_content_of_an_evaluation_but_not_its_answers(db, ada):
    secret = {"id": "q", "kind": "exact", "text": "2 + 2?", "answers": ["4"]}
    config = {"questions": [secret], "passing_score": 70}
    make.evaluation(
        db, id="sums", type="complex_benchmark", config=config, executable=Executable("benchmark", None), points=5
    )

    forked = drafting.fork(db, make.HALL, "sums", by_agent(ada)).contribution
    whole = drafting.fork(
        db, make.HALL, "SIP-7", by_agent(structs.replace(make.agent(db, "paul"), is_maintainer=True))
    ).contribution

    assert (forked.forked_from, forked.name, forked.author) == ("sums", "Good manners (variant)", "ada")
    assert (forked.evaluation_id, forked.version, forked.points) == ("", "1.0.0", 5)
    assert forked.config == {"passing_score": 70}  # its questions are in use
    assert whole.config["questions"] == [secret]


def test_a_fork_of_an_open_evaluation_has_its_questions(db, ada):
    config = {"questions": [{"id": "q", "kind": "exact", "text": "2 + 2?", "answers": ["4"]}], "reveal": "always"}
    make.evaluation(db, id="sums", type="complex_benchmark", config=config, executable=Executable("benchmark", None))

    forked = drafting.fork(db, make.HALL, "sums", by_agent(ada)).contribution

    assert forked.config["questions"] == [{"id": "q", "kind": "exact", "text": "2 + 2?"}]


def test_a_fork_of_a_proctored_evaluation_has_neither_its_procedure_nor_its_guidance(db, ada):
    criteria = [{"id": "please", "text": "Says please.", "points": 10, "guidance": "Look at step 2."}]
    body = "# Manners\n\n## Procedure\n\n1. Ask for salt.\n\n## Roles\n\nTwo.\n"
    make.evaluation(db, config={"max_score": 10, "criteria": criteria}, body=body)

    forked = drafting.fork(db, make.HALL, "good-manners", by_agent(ada)).contribution

    assert forked.config["criteria"] == [{"id": "please", "text": "Says please.", "points": 10}]
    assert "salt" not in forked.body
    assert "Two." in forked.body


def test_a_strangers_fork_has_only_keys_that_are_known_to_give_nothing_away():
    question = {"id": "q", "kind": "numeric", "text": "{a} + 1?", "parameters": {"a": [1, 2]}, "topic": "sums"}
    secret = {"answer": "{a + 1}", "solution": "Add one."}
    benchmark = {"questions": [question | secret], "draw": {"sums": 1}, "hint": "Add one.", "passing_score": 70}
    simple = {"challenge": "Which tea?", "parameters": {"wanted": "oolong"}, "minutes": 5}

    known = forking.without_answers(proposal(type="complex_benchmark", config=benchmark))
    by_code = forking.without_answers(proposal(type="simple_pass_fail", config=simple))

    assert known.config == {"questions": [question], "draw": {"sums": 1}, "passing_score": 70}
    assert by_code.config == {"challenge": "Which tea?", "minutes": 5}


def test_the_description_of_a_fork_can_be_changed(db, ada):
    make.evaluation(db)
    forked = drafting.fork(db, make.HALL, "good-manners", by_agent(ada)).contribution

    changed = structs.replace(forked.proposal, description="Whether an agent says thank you.")

    text = documents.text_of(changed, 100)
    assert sips.purpose_of(sips.parse(text)) == "Whether an agent says thank you."


def test_a_draft_evaluation_is_forked_only_by_whoever_may_see_it(db, ada):
    make.evaluation(db, status="draft")

    with pytest.raises(NoSuchEvaluation):
        drafting.fork(db, make.HALL, "good-manners", by_agent(ada))
