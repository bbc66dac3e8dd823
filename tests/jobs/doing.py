"""`python -m tests.jobs.doing DATABASE_URL`: a worker of its own, whose work writes down that it was done."""

import asyncio
import logging
import sys
import time
from typing import Any

from viva.jobs.model import Work
from viva.jobs.workers import work_until_cancelled
from viva.kit.db import Connection
from viva.kit.opening import open_database

# Neither has a UNIQUE: that each thing is done once is for the queue to see to.
TABLES = ("CREATE TABLE things_done (number INTEGER)", "CREATE TABLE things_begun (number INTEGER)")
LEASE_SECONDS = 1.5

failed: set[int] = set()


def read(db: Connection, data: dict[str, Any]) -> dict[str, Any]:
    begun = db.execute("SELECT count(*) FROM things_begun WHERE number = ?", [data["number"]]).fetchone()[0]
    return {"number": data["number"], "begun": begun}


def think(task: dict[str, Any]) -> int:
    time.sleep(0.01)
    number: int = task["number"]
    if number % 20 == 7 and number not in failed:
        failed.add(number)
        raise OSError("the first try goes wrong")
    return number


def keep(db: Connection, task: dict[str, Any], thought: int, is_last: bool) -> str | None:
    if thought % 20 == 13 and not task["begun"]:
        db.execute("INSERT INTO things_begun VALUES (?)", [thought])
        return "Half of it is done."
    db.execute("INSERT INTO things_done VALUES (?)", [thought])
    return None


async def work(url: str) -> None:
    database = open_database(url)
    listening = asyncio.create_task(database.listen())
    try:
        await work_until_cancelled(database, {"do a thing": Work(read, think, keep)}, 4, LEASE_SECONDS)
    finally:
        listening.cancel()
        database.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(work(sys.argv[1]))
