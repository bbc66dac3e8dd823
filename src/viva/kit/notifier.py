"""Waking whoever waits for a topic in this process; a wake-up carries no data, the waiter reads the rows."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Notifier:
    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self.count = 0  # wake-ups so far

    @contextmanager
    def waiting(self, topic: str) -> Iterator[asyncio.Event]:
        """An event that is set each time the topic is woken; the waiter clears it before it reads."""
        event = asyncio.Event()
        self._waiting.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            self._waiting[topic].discard(event)
            if not self._waiting[topic]:
                del self._waiting[topic]

    def wake(self, topic: str) -> None:
        """To be called on the event loop."""
        self.count += 1
        for event in self._waiting.get(topic, ()):
            event.set()

    def wake_all(self) -> None:
        for topic in tuple(self._waiting):
            self.wake(topic)
