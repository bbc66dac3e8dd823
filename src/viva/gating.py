"""The gate's own process: it reads a proposal from its input, and prints what agents reached in a scratch hub."""

import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from threading import Thread

import msgspec

from viva.config import configured_judges, read_judge_settings
from viva.contributions.class_sitting import ClassRoom
from viva.contributions.gate_model import SCRATCH_NUMBER, SCRATCH_SCRIPT, GateTask, make_unchecked
from viva.contributions.gate_run import GateRun, run_gate
from viva.contributions.model import GateOutcome
from viva.contributions.sitting import ExamRoom
from viva.embedded import open_hub
from viva.evaluations import sip as sips

STDIN = 0
MAX_REMOVALS = 100  # of the folder: the hub in this process may still be writing into it
MAX_FILE_BYTES = 1024**3  # of the scratch hub's database


def main(folder: Path, memory_bytes: int) -> None:
    limit_resources(memory_bytes)
    task = msgspec.json.decode(sys.stdin.buffer.readline(), type=GateTask)
    Thread(target=end_with_parent, args=[folder], daemon=True).start()
    sys.stdout.buffer.write(msgspec.json.encode(check(task, folder)))


def limit_resources(memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_with_parent(folder: Path) -> None:
    """End this process and its children once the input ends: then the hub is gone, which would have deleted the folder."""
    os.read(STDIN, 1)  # unbuffered: at the end of Python, no thread may hold the lock of a buffer
    for _ in range(MAX_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
    os.killpg(0, signal.SIGKILL)


def check(task: GateTask, folder: Path) -> list[GateOutcome]:
    write_sip(task, folder / "sips")
    with open_hub(folder, folder / "sips", read_judge_settings(os.environ)) as hub, hub.connect() as client:
        if hub.refused:
            return make_unchecked(f"The hub refuses the document: {hub.refused[0].error}")
        sip = sips.parse(task.document)
        room = (ClassRoom if sip.type == "live_class_work" else ExamRoom)(client, sip, task.seconds)
        return run_gate(GateRun(room, task.exemplars, has_judge=bool(configured_judges())))


def write_sip(task: GateTask, folder: Path) -> None:
    folder.mkdir()
    (folder / f"SIP-{SCRATCH_NUMBER}.md").write_text(task.document, encoding="utf-8")
    if task.code:
        (folder / SCRATCH_SCRIPT).write_text(task.code, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
