"""Background tasks: what ends is told at once and started again, and what keeps failing is named."""

import asyncio
import logging

import pytest

from viva.kit.background import MIN_REPORTED_FAILURES, Background

SOON = 0.001  # seconds between two starts


class Failed(Exception):
    """A task's own error."""


async def end_by_itself() -> None:
    return


async def fail() -> None:
    raise Failed("on purpose")


async def cancel_itself() -> None:
    raise asyncio.CancelledError


def started(run, times: int) -> Background:
    """The task after it was started so many times; then it goes on until it is stopped."""

    async def keep() -> Background:
        starts = 0
        enough = asyncio.Event()

        async def counted() -> None:
            nonlocal starts
            starts += 1
            if starts > times:
                enough.set()
                await asyncio.Event().wait()
            await run()

        background = Background({"sweep": counted}, SOON)
        background.start()
        await asyncio.wait_for(enough.wait(), 60)
        await asyncio.wait_for(background.stop(), 60)
        return background

    return asyncio.run(keep())


@pytest.mark.parametrize("run", [end_by_itself, fail, cancel_itself])
def test_a_task_that_ends_is_started_again_and_the_log_says_so(run, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR):
        started(run, times=2)

    assert [record.getMessage() for record in caplog.records] == [
        "The background task sweep ended and restarts.",
        "The background task sweep ended and restarts.",
    ]
    if run is fail:
        assert 'raise Failed("on purpose")' in caplog.text


def test_a_task_that_keeps_failing_is_named():
    assert started(fail, MIN_REPORTED_FAILURES - 1).failing == []
    assert started(fail, MIN_REPORTED_FAILURES).failing == ["sweep"]


def test_a_task_that_is_well_again_is_no_longer_named(monkeypatch: pytest.MonkeyPatch):
    background = started(fail, MIN_REPORTED_FAILURES)

    monkeypatch.setattr("viva.kit.background.STEADY_SECONDS", -1)

    assert background.failing == []
