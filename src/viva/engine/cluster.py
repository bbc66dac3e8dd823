"""A Ray cluster as an executor: what is submitted runs on its machines, each of which has Viva installed."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Cluster(Executor):
    """The cluster that RAY_ADDRESS names, or one on this machine that ends with us."""

    def __init__(self) -> None:
        import ray

        self._ray = ray
        ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        self._remote: dict[Callable[..., Any], Any] = {}

    @property
    def cores(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 1))

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        if work not in self._remote:
            self._remote[work] = self._ray.remote(work)
        found: Future[Any] = self._remote[work].remote(*arguments, **named).future()
        return found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()
