"""A shelf of things in memory that never change, bounded by their weight; what was least used goes first."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Shelf(Generic[Thing]):
    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Thing | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, thing: Thing, weight: int) -> None:
        with self._lock:
            if key in self._kept or weight > self.most:
                return
            self._kept[key] = (thing, weight)
            self._weight += weight
            while self._weight > self.most:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._weight -= dropped
