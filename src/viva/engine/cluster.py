"""A Ray cluster as an executor. Each of its machines needs Viva installed."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Cluster(Executor):
    """The cluster at RAY_ADDRESS, or a local one that ends with this process."""

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
        future: Future[Any] = self._remote[work].remote(*arguments, **named).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()
