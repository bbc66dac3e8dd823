"""Reading the demo's files: its agents, its exams, and the SIPs of these exams."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from viva.config import SHIPPED_SIPS
from viva.demo.model import DemoAgent, DemoAttempt, DemoClass, DemoExam, DemoProctoredExam
from viva.evaluations import sip as sips
from viva.evaluations import sip_folders
from viva.evaluations.sip import Sip

DEMO_FOLDER = Path(__file__).parent
# The type of exam in each folder. A file holds one exam or a list of them.
EXAM_FOLDERS: dict[str, type[DemoExam]] = {"proctored": DemoProctoredExam, "solo": DemoAttempt, "classes": DemoClass}


def load_agents() -> list[DemoAgent]:
    return msgspec.yaml.decode((DEMO_FOLDER / "agents.yaml").read_bytes(), type=list[DemoAgent])


def load_exams() -> list[DemoExam]:
    """The exams, oldest first."""
    read = [exam for folder, kind in EXAM_FOLDERS.items() for exam in load_folder(DEMO_FOLDER / folder, kind)]
    return sorted(read, key=lambda exam: exam.days_ago, reverse=True)


def load_folder(folder: Path, kind: type[DemoExam]) -> Iterator[DemoExam]:
    for path in sorted(folder.glob("*.yaml")):
        content = msgspec.yaml.decode(path.read_bytes())
        yield from msgspec.convert(content if isinstance(content, list) else [content], list[kind])  # type: ignore[valid-type]


def load_shipped_sips(exams: list[DemoExam]) -> dict[str, Sip]:
    """The shipped SIPs of the evaluations that are taken in these exams."""
    read = [sips.parse(path.read_text("utf-8")) for path in sip_folders.sip_files([SHIPPED_SIPS])]
    taken = {exam.evaluation for exam in exams}
    return {sip.id: sip for sip in read if sip.id in taken}


def sip_of(exam: DemoExam, shipped: dict[str, Sip]) -> Sip:
    """The SIP in the version that the exam is taken in."""
    if exam.version is None:
        return shipped[exam.evaluation]
    return sips.parse((DEMO_FOLDER / f"{exam.evaluation}-{exam.version}.md").read_text("utf-8"))
