"""Checks the rights of accounts against the log: maintainers, appointed proctors, verified owners."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from viva.agents.owners import hash_owner
from viva.checking.model import HubCheck
from viva.kit.db import Connection
from viva.kit.events import EVENT_COLUMNS, RIGHT_OF_ACTION, Event
from viva.kit.rows import many
from viva.kit.signing_keys import is_derived, list_keys
from viva.results.discrepancy import Discrepancy

HAS_RIGHT = "is_maintainer OR verified_owner IS NOT NULL"
TAKING_ACTIONS = ("maintainer.dismissed", "proctor.dismissed")


class HeldRight(NamedTuple):
    agent_id: str
    right: str  # as an event names it


class RightsAtOnce(NamedTuple):
    """What the log says of each right and what the rows say, at one moment."""

    recorded: dict[HeldRight, Event]  # the last event about each
    held: dict[HeldRight, str | None]  # with the key of a verified owner
    registered: set[str]  # holders of whom the log has everything
    deleted: set[str]
    owners: dict[str, str]  # the names of verified owners, if the hub's secret is still that of their keys


def check_rights(check: HubCheck) -> Iterator[Discrepancy]:
    rights = check.database.read_now(read_rights)
    for right in sorted(rights.recorded.keys() | rights.held.keys()):
        yield from check_right(check, right, rights)
    check.count("rights", len(rights.held))


def read_rights(db: Connection) -> RightsAtOnce:
    recorded, held = read_recorded(db), read_held(db)
    return RightsAtOnce(recorded, held, list_registered(db), list_deleted(db), read_owners(db))


def read_recorded(db: Connection) -> dict[HeldRight, Event]:
    actions = ", ".join(f"'{action}'" for action in RIGHT_OF_ACTION)
    sql = f"SELECT {EVENT_COLUMNS} FROM events WHERE action IN ({actions}, 'event.kept') AND subject_type = 'agent'"
    found = sorted(many(Event, db.execute(sql)), key=lambda event: event.recorded_id)
    return {HeldRight(event.subject_id, event.right): event for event in found if event.right}


def read_held(db: Connection) -> dict[HeldRight, str | None]:
    held: dict[HeldRight, str | None] = {}
    for agent_id, is_maintainer, owner, key in db.execute(
        f"SELECT id, is_maintainer, verified_owner, owner_key FROM agents WHERE {HAS_RIGHT}"
    ).fetchall():
        if is_maintainer:
            held[HeldRight(agent_id, "maintainer")] = None
        if owner is not None:
            held[HeldRight(agent_id, "owner")] = key
    for agent_id, evaluation_id in db.execute("SELECT agent_id, evaluation_id FROM proctor_appointments").fetchall():
        held[HeldRight(agent_id, f"proctor {evaluation_id or ''}")] = None
    return held


def list_registered(db: Connection) -> set[str]:
    """The holders of rights whose registration is in the log. Then all later events about them are there, too."""
    rows = db.execute(
        f"""
        SELECT subject_id FROM events WHERE action = 'agent.registered' AND subject_id IN (
            SELECT id FROM agents WHERE {HAS_RIGHT} UNION SELECT agent_id FROM proctor_appointments)
        """
    )
    return {agent_id for (agent_id,) in rows.fetchall()}


def list_deleted(db: Connection) -> set[str]:
    return {agent_id for (agent_id,) in db.execute("SELECT id FROM agents WHERE name IS NULL").fetchall()}


def read_owners(db: Connection) -> dict[str, str]:
    """The names of verified owners; none if the hub has had another secret, by which their keys may have been made."""
    if not all(is_derived(db, key) for key in list_keys(db)):
        return {}
    rows: list[Any] = db.execute("SELECT id, verified_owner FROM agents WHERE verified_owner IS NOT NULL").fetchall()
    return dict(rows)


def check_right(check: HubCheck, right: HeldRight, rights: RightsAtOnce) -> Iterator[Discrepancy]:
    event, words = rights.recorded.get(right), describe(right)
    is_given = event is not None and event.recorded_action not in TAKING_ACTIONS
    if right in rights.held and not is_given and (event or right.agent_id in rights.registered):
        yield Discrepancy("agent", right.agent_id, f"The account is {words}, and the log does not say so.")
    if right not in rights.held and is_given and right.agent_id not in rights.deleted:
        yield Discrepancy("agent", right.agent_id, f"By the log the account is {words}, and it is not.")
    if right in rights.held and event and is_given and right.right == "owner":
        yield from check_owner(check, right, event, rights)


def check_owner(check: HubCheck, right: HeldRight, event: Event, rights: RightsAtOnce) -> Iterator[Discrepancy]:
    """The key of the owner is the recorded one, which events of earlier releases do not have, and that of its name."""
    owner, recorded = rights.owners.get(right.agent_id), event.data.get("owner_key")
    named = hash_owner(check.database.secret, owner) if owner is not None else recorded
    if recorded and (rights.held[right], named) != (recorded, recorded):
        yield Discrepancy("agent", right.agent_id, "The verified owner is not the one that was confirmed.", None, owner)


def describe(right: HeldRight) -> str:
    match right.right.split(" ", 1):
        case ["proctor", evaluation_id]:
            return f"an appointed proctor for {evaluation_id or 'the whole hub'}"
        case ["owner"]:
            return "verified"
    return "a maintainer"
