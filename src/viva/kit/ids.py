"""Ids that sort by the time they were made and cannot be guessed."""

import os
import time

RANDOM_BYTES = 10  # bytes of an id
RANDOM_STOCK_BYTES = 100 * RANDOM_BYTES  # asking the system for randomness costs more than the rest of an id

stock = bytearray()
os.register_at_fork(after_in_child=stock.clear)  # or two processes would give out the same ids


def new_id(prefix: str) -> str:
    """The prefix, 48 bits of milliseconds and 80 random bits, as `eval_sess_019a…`."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{take_random().hex()}"


def take_random() -> bytes:
    if len(stock) < RANDOM_BYTES:
        stock.extend(os.urandom(RANDOM_STOCK_BYTES))
    taken = bytes(stock[-RANDOM_BYTES:])
    del stock[-RANDOM_BYTES:]
    return taken
