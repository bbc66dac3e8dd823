"""Community review: what everybody sees of an open contribution, and who may comment and vote."""

import pytest
from msgspec import json, structs

from tests import make
from tests.contributions.proposals import by_agent, proposal
from viva.agents.model import Agent
from viva.contributions import collaborators, community, drafting, ownership, reviewing, store, submitting
from viva.contributions.model import Contribution, WrongState
from viva.contributions.ownership import ContributorOnly, Editor
from viva.contributions.store import NoSuchContribution
from viva.kit.db import Connection


@pytest.fixture
def ada(db: Connection) -> Agent:
    return make.agent(db, "ada")


@pytest.fixture
def shown(db: Connection, ada: Agent) -> Contribution:
    """A submission that its contributor opened to the community."""
    made = drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution
    submitting.submit(db, make.HALL, owner(db, made, ada), made.id)
    return community.open_to_community(db, owner(db, made, ada), made.id)


def owner(db: Connection, contribution: Contribution, ada: Agent) -> Editor:
    return ownership.find_editor(db, contribution.id, ada)


def test_everybody_sees_name_description_and_titles_but_no_prompts(db, shown):
    paul = structs.replace(make.agent(db, "paul"), is_maintainer=True)
    reviewing.comment(db, shown.id, ownership.find_editor(db, shown.id, paul), "A word among reviewers.")

    view = community.view(db, community.get_open(db, shown.id))

    seen = json.encode(view).decode() + json.encode(community.list_open(db)).decode()
    assert (view.name, view.description) == ("Kind refusals", "Whether an agent refuses kindly.")
    assert view.criteria == ["probe-1", "probe-2"]
    for secret in ("key to room", "accuse", "thief", "proof", "reviewers", "example.org"):
        assert secret not in seen


def test_it_is_closed_until_the_contributor_opens_it(db, ada):
    made = drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution
    submitting.submit(db, make.HALL, owner(db, made, ada), made.id)

    assert community.list_open(db).total == 0
    with pytest.raises(NoSuchContribution):
        community.get_open(db, made.id)


def test_a_draft_shows_only_once_it_is_submitted(db, ada):
    made = drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution
    community.open_to_community(db, owner(db, made, ada), made.id)

    assert community.list_open(db).total == 0
    with pytest.raises(NoSuchContribution):
        community.vote(db, made.id, make.agent(db, "eve"), 1)
    submitting.submit(db, make.HALL, owner(db, made, ada), made.id)
    assert [each.id for each in community.list_open(db).contributions] == [made.id]


def test_only_the_contributor_opens_it_and_not_after_the_review(db, ada, shown):
    paul = structs.replace(make.agent(db, "paul"), is_maintainer=True)

    with pytest.raises(ContributorOnly):
        community.open_to_community(db, owner(db, shown, paul), shown.id)
    reviewing.reject(db, shown.id, paul, "No.")
    with pytest.raises(WrongState):
        community.open_to_community(db, owner(db, shown, ada), shown.id)
    assert community.list_open(db).total == 0


def test_the_last_vote_of_each_agent_counts(db, shown):
    eve, pia = make.agent(db, "eve"), make.agent(db, "pia")
    community.vote(db, shown.id, eve, 1)
    community.vote(db, shown.id, eve, -1)

    both = community.vote(db, shown.id, pia, 1)
    back = community.vote(db, shown.id, pia, 0)

    assert (both.votes_for, both.votes_against) == (1, 1)
    assert (back.votes_for, back.votes_against) == (0, 1)
    assert community.list_open(db).contributions[0].votes_against == 1


def test_nobody_votes_on_their_own_contribution(db, ada, shown):
    with pytest.raises(community.OwnContribution):
        community.vote(db, shown.id, ada, 1)


def test_a_collaborator_does_not_vote_either(db, shown):
    pia = make.agent(db, "coauthor")
    collaborators.add(db, shown.id, "Pia", "hash")
    collaborators.join_with_account(db, "hash", pia.id, pia.name)

    with pytest.raises(community.OwnContribution):
        community.vote(db, shown.id, pia, 1)


def test_comments_of_the_community_are_for_everybody(db, shown):
    community.comment(db, shown.id, make.agent(db, "eve"), "I like it.")

    view = community.view(db, store.get(db, shown.id))
    assert [(each.author_name, each.text, each.is_community) for each in view.comments] == [("eve", "I like it.", True)]
