"""The work that nobody waits for: claims that fall silent, answers and counters that grow old."""

import asyncio
import logging

from viva.exams import proctoring
from viva.kit import limits, replays
from viva.kit.db import Connection, Database
from viva.kit.errors import Unavailable

SWEEP_SECONDS = 15

log = logging.getLogger(__name__)


def sweep(db: Connection) -> None:
    ended = proctoring.end_silent_claims(db)
    if ended:
        log.info("Ended %d claims in which nobody spoke.", ended)
    replays.forget_old(db)
    limits.forget_past(db)


async def sweep_until_cancelled(database: Database) -> None:
    while True:
        try:
            await database.write(sweep)
        except Unavailable as error:
            log.warning("Could not sweep: %s", error)
        except Exception:  # nobody else would sweep until the next start
            log.exception("Could not sweep")
        await asyncio.sleep(SWEEP_SECONDS)
