"""Background tasks of a server process: each restarts when it ends, and repeated failures are reported."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

RESTART_SECONDS = 1.0
MIN_REPORTED_FAILURES = 3  # in a row; a restart repairs a single failure
STEADY_SECONDS = 60  # a task that ran this long before its failure was healthy

BackgroundTask = Callable[[], Coroutine[Any, Any, None]]
log = logging.getLogger(__name__)


class Background:
    """Named tasks. Each restarts as often as needed until `stop`."""

    def __init__(self, tasks: Mapping[str, BackgroundTask], restart_seconds: float = RESTART_SECONDS) -> None:
        self._functions = tasks
        self._restart_seconds = restart_seconds
        self._tasks: list[asyncio.Task[None]] = []
        self._failures = dict.fromkeys(tasks, 0)
        self._started_at = dict.fromkeys(tasks, 0.0)

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep_running(name)) for name in self._functions]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def failing(self) -> list[str]:
        """The tasks that failed several times in a row and are not steady since."""
        return [
            name
            for name, failures in self._failures.items()
            if failures >= MIN_REPORTED_FAILURES and not self._is_steady(name)
        ]

    def _is_steady(self, name: str) -> bool:
        return time.monotonic() - self._started_at[name] > STEADY_SECONDS

    async def _keep_running(self, name: str) -> None:
        while True:
            self._started_at[name] = time.monotonic()
            reason = await run_to_end(self._functions[name])
            if self._is_steady(name):
                self._failures[name] = 0
            self._failures[name] += 1
            log.error("The background task %s ended and restarts.", name, exc_info=reason)
            await asyncio.sleep(self._restart_seconds)


async def run_to_end(run: BackgroundTask) -> BaseException | None:
    """The error that the task ended with. Only the cancellation of the task itself is raised."""
    try:
        await run()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return error
    except Exception as error:
        return error
    return None
