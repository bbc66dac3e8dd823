"""Notifications within this process: a notification carries no data, so the subscriber reads the rows."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Notifier:
    def __init__(self) -> None:
        self._subscribers: dict[str, set[asyncio.Event]] = {}
        self.count = 0  # notifications so far

    @contextmanager
    def subscribe(self, *topics: str) -> Iterator[asyncio.Event]:
        """An event that each notification of the topics sets. The subscriber clears it before it reads."""
        event = asyncio.Event()
        for topic in topics:
            self._subscribers.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            for topic in topics:
                self._remove(topic, event)

    def _remove(self, topic: str, event: asyncio.Event) -> None:
        self._subscribers[topic].discard(event)
        if not self._subscribers[topic]:
            del self._subscribers[topic]

    def notify(self, topic: str) -> None:
        """Must be called on the event loop."""
        self.count += 1
        for event in self._subscribers.get(topic, ()):
            event.set()

    def notify_all(self) -> None:
        for topic in tuple(self._subscribers):
            self.notify(topic)


async def wait_until_set(event: asyncio.Event, seconds: float) -> None:
    """Wait for a notification, but no longer than so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
