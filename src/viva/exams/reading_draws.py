"""Which verdicts are drawn for a second reading. Nobody can predict the draw or influence it."""

import hashlib
import hmac
import secrets

from viva.evaluations.model import Evaluation
from viva.exams.reading_parties import list_parties
from viva.kit import events
from viva.kit.db import Connection
from viva.results import second_readings
from viva.results.model import Result
from viva.results.second_readings import ReadingCause, SecondReading

DRAWING_KEY_BYTES = 32
DRAW_BYTES = 8  # of the keyed hash, as a number from 0 to 1
DRAW_RANGE = 1 << 8 * DRAW_BYTES


def open_drawn_reading(db: Connection, evaluation: Evaluation, result: Result) -> None:
    """Open a second reading of a new result, if it is drawn."""
    if is_drawn(db, evaluation, result):
        open_reading(db, result, "draw")


def open_reading(db: Connection, result: Result, cause: ReadingCause) -> SecondReading | None:
    """Open a second reading; None if one is open."""
    reading = second_readings.open_reading(db, result, cause, list_parties(db, result))
    if reading:
        verdict = {"passed": result.passed, "score": result.score}
        events.record(db, "reading.opened", "reading", reading.id, result_id=result.id, cause=cause, **verdict)
    return reading


def is_drawn(db: Connection, evaluation: Evaluation, result: Result) -> bool:
    """Whether a second marker reads this verdict. Practice is never drawn, nor what the hub decided by rule."""
    if not (evaluation.second_reading and result.official and not result.is_private and was_marked(result)):
        return False
    return draw_of(get_key(db), result.registration_id) < evaluation.second_reading


def get_key(db: Connection) -> bytes:
    """The key of the draw, made with the first draw of the hub. It is in the database, since every process draws."""
    read = "SELECT key FROM drawing_keys WHERE name = 'second_reading'"
    row = db.execute(read).fetchone()
    if row is None:
        key = secrets.token_bytes(DRAWING_KEY_BYTES)
        db.execute("INSERT INTO drawing_keys (name, key) VALUES ('second_reading', ?) ON CONFLICT DO NOTHING", [key])
        row = db.execute(read).fetchone()
    return bytes(row[0])


def draw_of(key: bytes, registration_id: str) -> float:
    """A number from 0 to 1. The hub made the id before the exam, and nobody outside has the key."""
    digest = hmac.digest(key, registration_id.encode(), hashlib.sha256)
    return int.from_bytes(digest[:DRAW_BYTES]) / DRAW_RANGE


def was_marked(result: Result) -> bool:
    """Whether proctors or judges marked it. What a handler alone decided gets the same verdict every time."""
    return result.proctor_agent_id is not None or not {"judges", "markers"}.isdisjoint(result.result_data or {})
