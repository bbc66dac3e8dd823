"""Files of results from the database: official ones, practice, or both."""

import json
import signal

import pytest

from tests import make
from viva.exams import proctoring
from viva.exams.handlers.proctored import Verdict
from viva.exporting import prepare_export, run


@pytest.fixture(autouse=True)
def handler_stays():
    """An export ends tidily by SIGTERM. The tests that follow have a handler of their own."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_official_results_and_practice_are_exported_together_or_alone(database, tmp_path):
    def hold_exams(db):
        make.evaluation(db)
        ada, pia, paul = (make.agent(db, name) for name in ("ada", "pia", "paul"))
        official = make.result(db, ada, paul)
        silent, _ = make.claim(db, pia, paul)
        practice = proctoring.submit(db, "good-manners", silent.id, paul, Verdict(True), make.HALL.proctors)
        return official.id, practice.id

    official_id, practice_id = database.write_now(hold_exams)

    def exported(official):
        out = tmp_path / "out.jsonl"
        run(database, prepare_export("good-manners", None, None, out, official), b"x" * 32)
        return [json.loads(line)["id"] for line in out.read_text().splitlines()]

    assert exported(None) == [official_id, practice_id]
    assert exported(True) == [official_id]
    assert exported(False) == [practice_id]
