"""Ids that sort by creation time and cannot be guessed."""

import os
import time

RANDOM_BYTES = 10  # in one id
RANDOM_POOL_BYTES = 100 * RANDOM_BYTES  # a system call costs more than the rest of an id, so it fetches for many

random_pool = bytearray()
os.register_at_fork(after_in_child=random_pool.clear)  # otherwise two processes would make the same ids


def new_id(prefix: str) -> str:
    """The prefix, 48 bits of milliseconds and 80 random bits, as `eval_sess_019a…`."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{take_random().hex()}"


def take_random(count: int = RANDOM_BYTES) -> bytes:
    """So many random bytes, at most RANDOM_POOL_BYTES."""
    if len(random_pool) < count:
        random_pool.extend(os.urandom(RANDOM_POOL_BYTES))
    taken = bytes(random_pool[-count:])
    del random_pool[-count:]
    return taken
