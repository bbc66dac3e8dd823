"""Pools of worker processes, one for each set of limits. A worker has no environment, files or network of ours.

A worker that dies or is killed is replaced by the next call. Workers end with the process that started them; a busy
one ends with its CPU time."""

import atexit
import os
import threading
from typing import TYPE_CHECKING, NamedTuple

from viva.sandbox.model import SandboxLimits

if TYPE_CHECKING:
    from pydantic_monty import Monty

WORKERS_PER_POOL = 2  # calls at the same time; each worker has about 10 MB
WAIT_FOR_WORKER_SECONDS = 10  # several calls may wait, and each ends within its limits
KILL_GRACE_SECONDS = 0.25  # after the CPU time, for code that is stuck inside one long operation
CALLS_PER_WORKER = 1_000  # then a new process, so that nothing accumulates


class PoolKey(NamedTuple):
    process_id: int  # a forked process cannot use the workers of its parent
    limits: SandboxLimits


pools: dict[PoolKey, "Monty"] = {}
pools_lock = threading.Lock()


def get_pool(limits: SandboxLimits) -> "Monty":
    """The pool for these limits. Its workers start with the first call."""
    key = PoolKey(os.getpid(), limits)
    with pools_lock:
        if key not in pools:
            pools[key] = open_pool(limits)
        return pools[key]


def open_pool(limits: SandboxLimits) -> "Monty":
    from pydantic_monty import Monty  # imported late: it takes 40 ms and 11 MB, and most processes never need it

    pool = Monty(
        min_processes=0,
        max_processes=WORKERS_PER_POOL,
        checkout_timeout=WAIT_FOR_WORKER_SECONDS,
        request_timeout=limits.wall_seconds,
        max_checkouts_per_worker=CALLS_PER_WORKER,
        feed_duration_limit_grace=KILL_GRACE_SECONDS,
    )
    return pool.__enter__()  # open until close_pools()


@atexit.register
def close_pools() -> None:
    """End the workers of this process. The next call starts others."""
    with pools_lock:
        for key in [key for key in pools if key.process_id == os.getpid()]:
            pools.pop(key).__exit__(None, None, None)
