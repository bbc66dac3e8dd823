"""The loop of one process of a pool: a function and its items come in, one outcome for each item goes out."""

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from viva.jobs.processes import SIZE_BYTES, ItemOutcome, ItemProgress, frame_message, reports

MAX_ERROR_CHARACTERS = 400
PARENT_WATCH_SECONDS = 1


def run_loop(parent: int) -> None:
    """Serve until the parent closes the pipe or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what ends
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not write between the messages
    reports.append(lambda value: write_message(outgoing, ItemProgress(value)))
    while (message := read_message(incoming)) is not None:
        function, items = message
        for item in items:
            write_message(outgoing, outcome_of(function, item))


def write_message(stream: BinaryIO, message: Any) -> None:
    stream.write(frame_message(message))
    stream.flush()


def end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_WATCH_SECONDS)
    os._exit(1)


def read_message(stream: BinaryIO) -> Any:
    """The next message; None if the pipe was closed."""
    size = stream.read(SIZE_BYTES)
    if len(size) < SIZE_BYTES:
        return None
    return pickle.loads(stream.read(int.from_bytes(size, "big")))  # noqa: S301 - our parent wrote it


def outcome_of(function: Callable[[Any], Any], item: Any) -> ItemOutcome:
    try:
        return ItemOutcome(function(item), None)
    except Exception as error:
        traceback.print_exc()
        return ItemOutcome(None, f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS])


if __name__ == "__main__":
    run_loop(int(sys.argv[1]))
