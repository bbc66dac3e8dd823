"""Jobs added and done per second by Procrastinate. It runs in a Python that has Procrastinate."""

import asyncio
import sys
from time import perf_counter

from procrastinate import App, PsycopgConnector


def nothing(number: int) -> None:
    """A plain function. Procrastinate runs it in a thread, as Viva does."""


async def main(url: str, jobs: int, concurrency: int) -> None:
    app = App(connector=PsycopgConnector(conninfo=url))
    task = app.task(name="nothing")(nothing)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        started = perf_counter()
        for number in range(jobs):
            await task.defer_async(number=number)
        all_put = perf_counter()
        await app.run_worker_async(concurrency=concurrency, wait=False, install_signal_handlers=False)
        print(jobs / (all_put - started), jobs / (perf_counter() - all_put))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
