"""Tasks that run beside the answers, started again when they end, and what is wrong with those that keep failing."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

RESTART_SECONDS = 1.0
FAILURES_TO_TELL = 3  # in a row; one may be chance, and the next start mends it
STEADY_SECONDS = 60  # a task that ran so long before it failed had been well

BackgroundTask = Callable[[], Coroutine[Any, Any, None]]
log = logging.getLogger(__name__)


class Background:
    """Named tasks. Each runs until it is stopped, however often it has to be started."""

    def __init__(self, tasks: Mapping[str, BackgroundTask], restart_seconds: float = RESTART_SECONDS) -> None:
        self._runs = tasks
        self._restart_seconds = restart_seconds
        self._tasks: list[asyncio.Task[None]] = []
        self._failures = dict.fromkeys(tasks, 0)
        self._began = dict.fromkeys(tasks, 0.0)

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep_running(name)) for name in self._runs]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def failing(self) -> list[str]:
        """The tasks that failed several times in a row and have not been well since."""
        return [
            name for name, number in self._failures.items() if number >= FAILURES_TO_TELL and not self._is_steady(name)
        ]

    def _is_steady(self, name: str) -> bool:
        return time.monotonic() - self._began[name] > STEADY_SECONDS

    async def _keep_running(self, name: str) -> None:
        while True:
            self._began[name] = time.monotonic()
            reason = await outcome(self._runs[name])
            if self._is_steady(name):
                self._failures[name] = 0
            self._failures[name] += 1
            log.error("The background task %s ended; it starts again.", name, exc_info=reason)
            await asyncio.sleep(self._restart_seconds)


async def outcome(run: BackgroundTask) -> BaseException | None:
    """What the task ended with. Only the cancellation of the task itself goes through."""
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
