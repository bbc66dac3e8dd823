"""A read that takes long leaves the event loop to other requests."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from viva.context import read_slowly
from viva.contributions import ownership
from viva.embedded import open_hub

CONTRIBUTE = "/api/v1/evaluations/contribute"


def test_others_read_while_a_slow_read_goes_on(database):
    is_free = threading.Event()

    async def read_both() -> tuple[bool, int]:
        slow = asyncio.create_task(read_slowly(database, lambda db: is_free.wait(10)))
        await asyncio.sleep(0)
        other = await database.read(lambda db: db.execute("SELECT 1").fetchone()[0])
        is_free.set()
        return await slow, other

    assert asyncio.run(read_both()) == (True, 1)


@pytest.mark.parametrize("part", ["preview", "history", "history/1"])
def test_the_api_answers_others_while_it_reads_a_long_document(monkeypatch, part):
    has_begun, is_free = threading.Event(), threading.Event()
    find_editor = ownership.find_editor

    def wait_and_find(*arguments: Any) -> Any:
        has_begun.set()
        is_free.wait(3)
        return find_editor(*arguments)

    with open_hub() as hub, hub.connect() as other, ThreadPoolExecutor(1) as pool:
        body = {"contributor_name": "Mia", "contributor_email": "mia@example.org"}
        draft = other.post(CONTRIBUTE, json=body).json()
        monkeypatch.setattr(ownership, "find_editor", wait_and_find)
        with hub.connect(draft["token"]) as mia:
            slow = pool.submit(mia.get, f"{CONTRIBUTE}/{draft['id']}/{part}")
            assert has_begun.wait(3)

            assert other.get("/api/v1/evaluations").status_code == 200
            assert not slow.done()

            is_free.set()
            assert slow.result().status_code == 200
