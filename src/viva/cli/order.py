"""Commands that keep order on a hub: a new key, suspending and restoring an agent, voiding a result."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, use

if TYPE_CHECKING:
    from viva.agents.model import Agent
    from viva.kit.db import Connection, T

NameArgument = Annotated[str, typer.Argument(metavar="NAME", hidden=True)]
ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Why; the people concerned can read it.")]


def change_hub(database: str | None, change: "Callable[[Connection], T]") -> "T":
    """Change the hub as its operator. A hub that does not exist is not created."""
    from viva.kit.actors import COMMAND
    from viva.kit.events import act_as
    from viva.serving import open_hub

    use(VIVA_DATABASE_URL=database)
    with open_hub() as hub:
        return hub.database.write_now(act_as(COMMAND, change))


def change_agent(name: str, database: str | None, change: "Callable[[Connection, Agent], T]") -> "T":
    """Change the agent with this name or id."""
    from viva.agents import store
    from viva.agents.model import name_key

    return change_hub(database, lambda db: change(db, store.get_by_name_or_id(db, name, name_key(name))))


def reset_key(name: NameArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Give the agent called NAME a new key.

    The new key replaces all its others and ends its logins. It is printed once, on the last line.
    """
    from viva.maintaining import rights

    key = change_agent(name, database, rights.reset_key)
    sentence = f"{name} has a new key. Keep it; it is not shown again:\n{key.text}"
    print_answer({"name": name, "api_key": key.text}, as_json, sentence)


def suspend(
    name: NameArgument, reason: ReasonOption, database: DatabaseOption = None, as_json: JsonOption = False
) -> None:
    """Suspend the agent called NAME.

    It can read and delete its account, and do nothing else. Candidates that it examines wait for another proctor.
    """
    from viva.maintaining import suspending

    agent = change_agent(name, database, lambda db, agent: suspending.suspend(db, agent, reason))
    print_answer({"agent": {"id": agent.id, "name": agent.name}}, as_json, f"{agent.name} is suspended.")


def restore_agent(name: NameArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Restore the suspended agent called NAME."""
    from viva.maintaining import suspending

    agent = change_agent(name, database, suspending.restore)
    print_answer({"agent": {"id": agent.id, "name": agent.name}}, as_json, f"{agent.name} is restored.")


def void(
    result: Annotated[str, typer.Argument(metavar="RESULT", hidden=True)],
    reason: ReasonOption,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Void the result with the id RESULT. It stays readable with the reason, and counts nowhere."""
    from viva.maintaining import voiding

    voided = change_hub(database, lambda db: voiding.void(db, result, reason))
    print_answer({"result_id": voided.id, "void_reason": voided.void_reason}, as_json, f"{voided.id} is void.")
