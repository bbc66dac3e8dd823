"""The gate's own process: it reads a proposal from its input, and prints what agents reached in a scratch hub."""

import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from threading import Thread

import msgspec

from viva.config import configured_judges
from viva.contributions.class_sitting import ClassRoom
from viva.contributions.gate_model import GateTask, unchecked
from viva.contributions.gate_run import run_gate
from viva.contributions.model import GateOutcome
from viva.contributions.sitting import ExamRoom
from viva.embedded import open_hub
from viva.evaluations import sip as sips

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
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def check(task: GateTask, folder: Path) -> list[GateOutcome]:
    write_sip(task, folder / "sips")
    judge = {name: value for name, value in os.environ.items() if name.startswith("VIVA_JUDGE_")}
    with open_hub(folder, folder / "sips", judge) as hub, hub.connect() as client:
        if hub.refused:
            return unchecked(f"The hub refuses the document: {hub.refused[0].error}")
        sip = sips.parse(task.document)
        room = (ClassRoom if sip.type == "live_class_work" else ExamRoom)(client, sip, task.seconds)
        return run_gate(room, task.exemplars, has_judge=bool(configured_judges()))


def write_sip(task: GateTask, folder: Path) -> None:
    """The files are named after the number, so that the code of the handler is found beside the document."""
    folder.mkdir()
    (folder / "SIP-1.md").write_text(task.document, encoding="utf-8")
    if task.code:
        (folder / "SIP-1.py").write_text(task.code, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
