"""Ids that sort by the time they were made and cannot be guessed."""

import secrets
import time


def new_id(prefix: str) -> str:
    """The prefix, 48 bits of milliseconds and 80 random bits, as `eval_sess_019a…`."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"
