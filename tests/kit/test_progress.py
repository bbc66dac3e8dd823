"""The progress bar: on a terminal only."""

import os
import pty
import subprocess
import sys

PROGRAM = """
from viva.kit.progress import show_progress

with show_progress("counting", 3) as on_read:
    for _ in range(3):
        on_read(1)
print("done")
"""


def test_a_bar_is_shown_on_a_terminal():
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)

    assert done.stdout == "done\n"
    assert "counting" in shown
    assert "3/3" in shown


def test_no_bar_is_shown_elsewhere():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("done\n", "")
