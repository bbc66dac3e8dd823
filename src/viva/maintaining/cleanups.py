"""Ordered clean-ups in the database: what a maintainer has asked for many agents, and what of it is still to do."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from viva.agents.store import NoSuchAgent
from viva.kit.actors import Actor
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.rows import find, many

CleanUpAction = Literal["suspend", "restore"]
CleanUpStage = Literal["agent", "texts"]  # the agents come first, so that all are suspended before any text is hidden


class CleanUpOrder(Struct, frozen=True):
    """What is to be done with one agent. `actor` is who ordered it, as JSON."""

    agent_id: str
    action: CleanUpAction
    stage: CleanUpStage
    with_texts: bool
    reason: str
    actor: str

    @property
    def ordered_by(self) -> Actor:
        return msgspec.json.decode(self.actor, type=Actor)


class ChosenAgent(Struct, frozen=True):
    """An agent that a maintainer has chosen."""

    id: str
    is_maintainer: bool


ORDER_COLUMNS = ", ".join(CleanUpOrder.__struct_fields__)


def list_chosen(db: Connection, agent_ids: Sequence[str]) -> list[ChosenAgent]:
    """The agents, or NoSuchAgent if one of them does not exist. They are sorted, so that all callers lock in one order."""
    places = ", ".join("?" for _ in agent_ids)
    sql = f"SELECT id, is_maintainer FROM agents WHERE name IS NOT NULL AND id IN ({places}) ORDER BY id"
    chosen = many(ChosenAgent, db.execute(sql, agent_ids))
    if len(chosen) != len(agent_ids):
        raise NoSuchAgent()
    return chosen


def add(
    db: Connection, agents: Sequence[ChosenAgent], action: CleanUpAction, with_texts: bool, reason: str = ""
) -> None:
    """Order the same for each agent. It takes the place of what was ordered for it before."""
    rows = ", ".join(
        f"(:id{number}, :action, 'agent', :with_texts, :reason, :actor, :at)" for number in range(len(agents))
    )
    db.execute(
        f"""
        INSERT INTO cleanups ({ORDER_COLUMNS}, ordered_at) VALUES {rows}
        ON CONFLICT (agent_id) DO UPDATE SET action = excluded.action, stage = excluded.stage,
            with_texts = excluded.with_texts, reason = excluded.reason, actor = excluded.actor,
            ordered_at = excluded.ordered_at
        """,
        {
            "action": action,
            "with_texts": with_texts,
            "reason": reason,
            "actor": msgspec.json.encode(db.actor).decode(),
            "at": now(),
            **{f"id{number}": agent.id for number, agent in enumerate(agents)},
        },
    )


def take_next(db: Connection) -> CleanUpOrder | None:
    """The order that is next, locked until commit. Orders that somebody else works on are skipped."""
    rows = db.execute(
        f"SELECT {ORDER_COLUMNS} FROM cleanups ORDER BY stage, ordered_at, agent_id LIMIT 1 {db.skip_locked}"
    )
    return find(CleanUpOrder, rows)


def begin_texts(db: Connection, agent_id: str) -> None:
    db.execute("UPDATE cleanups SET stage = 'texts' WHERE agent_id = ?", [agent_id])


def delete(db: Connection, agent_id: str) -> None:
    db.execute("DELETE FROM cleanups WHERE agent_id = ?", [agent_id])


def count(db: Connection) -> int:
    """For how many agents something is still to do. A maintainer chose each of them."""
    (number,) = db.execute("SELECT count(*) FROM cleanups").fetchone()
    return int(number)
