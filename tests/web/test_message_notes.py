"""What the engine found in an exam, beside the messages of the result page."""

import re
import zlib
from typing import Any

import msgspec
import pytest

from tests.web.test_results import HOSTILE, exam
from viva.analyses import running, store
from viva.analyses.model import AnalysisChoices, FinishedAnalysis, Subject
from viva.exams import session_analysis
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection

WORDS = [
    "Which day does the shop close early?",
    "The pool opens at eight.",
    "No, that is wrong. I asked about the shop, not the pool.",
    "The shop closes early on Wednesdays.",
    "Thank you. And how much is a loaf of bread?",
    "A loaf is 3 euros.",
]


def do_jobs(db: Connection) -> None:
    """Do every job of the pool of processes, in this process, though their pause is not over."""
    db.execute("UPDATE jobs SET due_at = ?", [now()])
    work = running.work(None, {"session": session_analysis.read_content})
    for job in queue.take_batch(db, 30):
        task = work.read(db, job.data)
        work.keep(db, task, work.think(task), False)
        queue.finish(db, job)


def notes_in(page: str) -> dict[int, list[str]]:
    """The notes by the number of their message."""
    items = re.findall(r'<li id="msg-(\d+)".*?</li>', page, re.DOTALL)
    texts = re.split(r'<li id="msg-\d+"', page)[1:]
    labels = [re.findall(r'class="finding"><strong>(.*?)</strong>', text) for text in texts]
    return {int(number): found for number, found in zip(items, labels, strict=True) if found}


def test_a_corrected_answer_has_a_note_once_the_exam_is_analysed(site):
    result = exam(site, WORDS, score=50)
    before = site.text(f"/evaluations/result/{result.id}")
    site.database.write_now(do_jobs)

    after = site.text(f"/evaluations/result/{result.id}")

    assert notes_in(before) == {}
    assert notes_in(after) == {2: ["The proctor’s next message reads like an objection"]}
    assert "<q>No, that is wrong. I asked about the shop, not the pool.</q>" in after


def test_an_exam_in_which_the_candidate_said_nothing_is_not_analysed(site):
    exam(site, ["Are you there?"], score=0)

    analyses = site.database.read_now(lambda db: db.execute("SELECT count(*) FROM analyses").fetchone()[0])
    assert analyses == 0


@pytest.mark.parametrize(
    "found",
    [
        {"turn_results": [{"is_bad": True, "detection_type": "ccm", "evidence": [{"quote": HOSTILE}]}]},
        {"turn_results": [{"is_bad": True, "detection_type": "odd"}]},
        {"turn_results": 7},
        {"turn_results": [{"is_bad": True, "detection_type": "rdm"}] * 9},  # more turns than the session has
    ],
)
def test_a_stored_analysis_of_any_shape_breaks_nothing(site, found):
    result = exam(site, WORDS, score=50)
    content = zlib.compress(msgspec.json.encode(found))
    done = FinishedAnalysis(content, "1.0.0", 3, None, None, 1, 0, [], [])
    subject: Any = Subject("session", result.session_id or "")
    site.database.write_now(lambda db: store.add_finished(db, subject, AnalysisChoices(), done))

    page = site.text(f"/evaluations/result/{result.id}")

    assert "The shop closes early on Wednesdays." in page
    assert "<script>alert" not in page
