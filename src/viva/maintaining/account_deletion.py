"""Deleting an account that may have maintained the hub, or whose texts were hidden."""

from viva.agents.model import Agent
from viva.contributions import account_deletion
from viva.kit.db import Connection
from viva.maintaining import hidden_texts, hiding, profiles
from viva.maintaining.rights import check_another_remains


def delete_account(db: Connection, agent: Agent) -> None:
    """Delete the account. What was hidden of its profile goes too, and so does its name on what it hid. The last maintainer stays."""
    check_another_remains(db, agent)

    if hidden_texts.find_hidden(db, "description", agent.id):
        while profiles.hide_copies(db, agent.id, profiles.COPIES_PER_STEP):
            pass  # what a job would have hidden
        profiles.forget_lines(db, agent.id)
    hidden_texts.forget_originals(db, agent.id)
    account_deletion.delete_account(db, agent)
    hiding.rewrite_lines(db, agent.id)
