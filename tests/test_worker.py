"""The work that nobody waits for goes on, whatever happens to it once."""

import asyncio

from viva import worker
from viva.exams import proctoring


def test_a_sweep_that_fails_does_not_end_the_sweeping(database, monkeypatch):
    sweeps: list[str] = []

    def fail_once(db) -> int:
        sweeps.append("sweep")
        if len(sweeps) == 1:
            raise OverflowError("a time that no calendar holds")
        return 0

    monkeypatch.setattr(proctoring, "end_silent_claims", fail_once)
    monkeypatch.setattr(worker, "SWEEP_SECONDS", 0)

    async def run_for_a_while() -> None:
        sweeping = asyncio.create_task(worker.sweep_until_cancelled(database))
        while len(sweeps) < 3 and not sweeping.done():
            await asyncio.sleep(0.01)
        sweeping.cancel()

    asyncio.run(run_for_a_while())

    assert len(sweeps) >= 3
