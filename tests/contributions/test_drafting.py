"""Drafts: who may change them, what their history holds, and what two editors do to each other."""

import pytest

from tests import make
from tests.contributions.proposals import by_agent, proposal
from viva.agents.model import Agent
from viva.contributions import (
    drafting,
    ownership,
    store,
)
from viva.contributions.drafting import NewDraft
from viva.contributions.ownership import Editor
from viva.kit.db import Connection


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


def test_a_config_keeps_the_order_of_its_keys(db, ada):
    made = drafting.create(db, make.HALL, proposal(config={"zebra": 1, "a": {"yak": 1, "b": 2}}), by_agent(ada))

    config = store.get(db, made.contribution.id).config

    assert list(config) == ["zebra", "a"]
    assert list(config["a"]) == ["yak", "b"]
