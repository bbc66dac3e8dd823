"""A deleted account: its drafts go with it, and what it submitted stays without its name."""

from msgspec import structs

from tests import make
from tests.contributions.proposals import by_agent, proposal
from viva.contributions import (
    account_deletion,
    collaborators,
    comments,
    community,
    drafting,
    ownership,
    reviewing,
    revisions,
    store,
    submitting,
)
from viva.kit.deleted import DELETED_NAME


def test_drafts_go_and_submissions_stay_under_another_name(db):
    ada, pia = make.agent(db, "ada"), make.agent(db, "pia")
    draft, kept = (drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution for _ in range(2))
    submitting.submit(db, make.HALL, ownership.find_editor(db, kept.id, ada), kept.id)
    reviewing.comment(db, kept.id, ownership.find_editor(db, kept.id, ada), "Please.")
    theirs = drafting.create(db, make.HALL, proposal(), by_agent(pia)).contribution
    token = drafting.invite(db, ownership.find_editor(db, theirs.id, pia), theirs.id, "Ada").token
    editor = drafting.join(db, token, ada)
    drafting.update(db, editor, theirs.id, proposal(name="Ours"), 1)

    account_deletion.delete_account(db, ada)

    left = store.get(db, kept.id)
    assert store.find_by_id(db, draft.id) is None
    assert (left.status, left.contributor_name, left.author) == ("submitted", DELETED_NAME, DELETED_NAME)
    assert [each.editor_name for each in revisions.list_revisions(db, kept.id)] == [DELETED_NAME]
    assert [each.author_name for each in comments.list_comments(db, kept.id)] == [DELETED_NAME]
    assert [each.editor_name for each in revisions.list_revisions(db, theirs.id)] == [DELETED_NAME, "pia"]
    assert collaborators.list_collaborators(db, theirs.id) == []


def test_an_author_of_another_name_stays(db):
    ada = make.agent(db, "ada")
    kept = drafting.create(db, make.HALL, proposal(author="The Refusal Lab"), by_agent(ada)).contribution
    submitting.submit(db, make.HALL, ownership.find_editor(db, kept.id, ada), kept.id)

    account_deletion.delete_account(db, ada)

    assert store.get(db, kept.id).author == "The Refusal Lab"


def test_votes_of_a_deleted_agent_do_not_count(db):
    ada, eve = make.agent(db, "ada"), make.agent(db, "eve")
    made = drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution
    editor = ownership.find_editor(db, made.id, ada)
    submitting.submit(db, make.HALL, editor, made.id)
    community.open_to_community(db, editor, made.id)
    community.vote(db, made.id, structs.replace(eve), 1)

    account_deletion.delete_account(db, eve)

    assert community.list_open(db).contributions[0].votes_for == 0
