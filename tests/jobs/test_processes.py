"""A pool of processes: outcomes in order, errors of single items, and processes that die."""

import asyncio
import os
import time

import pytest

from viva.jobs.processes import ProcessDied, ProcessPool, report_progress


def double(number: int) -> int:
    if number == 13:
        raise ValueError("thirteen")
    if number == 99:
        os._exit(1)
    return number * 2


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def count_up(number: int) -> int:
    for reached in range(number):
        report_progress(reached)
    return number


def run(scenario) -> None:
    async def with_pool() -> None:
        pool = ProcessPool(1)
        try:
            await asyncio.wait_for(scenario(pool), 60)
        finally:
            await pool.close()

    asyncio.run(with_pool())


def test_outcomes_come_in_order_and_an_error_is_only_its_items():
    async def scenario(pool: ProcessPool) -> None:
        outcomes = [outcome async for outcome in pool.run_all(double, [1, 13, 2])]

        assert [outcome.value for outcome in outcomes] == [2, None, 4]
        assert outcomes[1].error == "ValueError: thirteen"

    run(scenario)


def test_a_process_that_dies_is_replaced_and_what_came_before_counts():
    async def scenario(pool: ProcessPool) -> None:
        outcomes = pool.run_all(double, [1, 99, 2])

        assert (await anext(outcomes)).value == 2
        with pytest.raises(ProcessDied):
            await anext(outcomes)
        assert await pool.run(double, 5) == 10

    run(scenario)


def test_a_process_stays_for_the_next_call_unless_it_takes_too_long():
    async def scenario(pool: ProcessPool) -> None:
        first, second = await pool.run(sleep, 0), await pool.run(sleep, 0)
        with pytest.raises(ProcessDied):
            await pool.run(sleep, 60, timeout=0.2)
        third = await pool.run(sleep, 0)

        assert first == second != third

    run(scenario)


def test_a_thread_can_use_the_pool_of_its_event_loop():
    async def scenario(pool: ProcessPool) -> None:
        pool.attach()

        assert await asyncio.to_thread(pool.run_from_thread, sleep, 0) != os.getpid()

    run(scenario)
    assert ProcessPool(1).run_from_thread(sleep, 0) == os.getpid()


def test_progress_comes_before_the_outcome():
    async def scenario(pool: ProcessPool) -> None:
        seen: list[int] = []
        outcomes = [outcome async for outcome in pool.run_all(count_up, [2, 1], on_progress=seen.append)]

        assert seen == [0, 1, 0]
        assert [outcome.value for outcome in outcomes] == [2, 1]

    run(scenario)
    assert count_up(2) == 2
