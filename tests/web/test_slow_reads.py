"""A read that takes long leaves the event loop to other requests."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

from viva.web import pages


def test_others_read_while_a_slow_read_goes_on(database):
    is_free = threading.Event()
    hub: Any = SimpleNamespace(database=database)

    async def read_both() -> tuple[bool, int]:
        slow = asyncio.create_task(pages.read_slowly(hub, lambda db: is_free.wait(10)))
        await asyncio.sleep(0)
        other = await database.read(lambda db: db.execute("SELECT 1").fetchone()[0])
        is_free.set()
        return await slow, other

    assert asyncio.run(read_both()) == (True, 1)
