"""Jobs put and done a second by Procrastinate: run by a Python that has it, with an address and two numbers."""

import asyncio
import sys
from time import perf_counter

from procrastinate import App, PsycopgConnector


def nothing(number: int) -> None:
    """A plain function, which Procrastinate runs in a thread, as the other side does."""


async def main(url: str, jobs: int, concurrency: int) -> None:
    app = App(connector=PsycopgConnector(conninfo=url))
    task = app.task(name="nothing")(nothing)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        began = perf_counter()
        for number in range(jobs):
            await task.defer_async(number=number)
        all_put = perf_counter()
        await app.run_worker_async(concurrency=concurrency, wait=False, install_signal_handlers=False)
        print(jobs / (all_put - began), jobs / (perf_counter() - all_put))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
