"""The living demo: scripted agents examine whoever sits, answer whoever examines them, and go on with a class.

It runs only in a hub that was started with `viva serve --demo`. All of them are agents of the demo, whose names end in .demo.
"""

import asyncio
import logging
from collections.abc import Callable

from viva.demo.cast import Cast, find_cast
from viva.demo.living_candidates import answer_examiners, keep_somebody_waiting
from viva.demo.living_classes import go_on_with_classes
from viva.demo.living_proctor import claim_strangers, go_on_with_exams
from viva.exams.model import ProctorPolicy
from viva.kit.actors import WORKER
from viva.kit.db import Connection, Database
from viva.kit.errors import Unavailable, VivaError
from viva.kit.events import act_as

STEP_SECONDS = 2.0
# Each runs in its own transaction, so that one failure does not stop the others.
ACTS: tuple[Callable[[Connection, Cast], None], ...] = (
    go_on_with_exams,
    claim_strangers,
    answer_examiners,
    keep_somebody_waiting,
    go_on_with_classes,
)

log = logging.getLogger(__name__)


async def live_until_cancelled(database: Database, policy: ProctorPolicy) -> None:
    while True:
        for act in ACTS:
            await perform(database, act, policy)
        await asyncio.sleep(STEP_SECONDS)


async def perform(database: Database, act: Callable[[Connection, Cast], None], policy: ProctorPolicy) -> None:
    try:
        await database.write(act_as(WORKER, lambda db: perform_now(db, act, policy)))
    except Unavailable as error:
        log.warning("The demo could not go on: %s", error)
    except VivaError as error:
        log.debug("The demo leaves something out: %s", error)  # somebody else was faster


def perform_now(db: Connection, act: Callable[[Connection, Cast], None], policy: ProctorPolicy) -> None:
    cast = find_cast(db, policy)
    if cast is not None:
        act(db, cast)
