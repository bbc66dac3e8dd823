"""An in-memory LRU cache of immutable values, bounded by their total weight."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Cached = TypeVar("Cached")


class LruCache(Generic[Cached]):
    def __init__(self, max_weight: int) -> None:
        self.max_weight = max_weight
        self._entries: OrderedDict[Hashable, tuple[Cached, int]] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Cached | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: Cached, weight: int) -> None:
        with self._lock:
            if key in self._entries or weight > self.max_weight:
                return
            self._entries[key] = (value, weight)
            self._weight += weight
            while self._weight > self.max_weight:
                _, (_, dropped_weight) = self._entries.popitem(last=False)
                self._weight -= dropped_weight
