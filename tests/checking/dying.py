"""A process that is killed in the middle of a unit: `python -m tests.checking.dying URL PLACE [REGISTRATION]`.

It decides the exam of the registration, or deletes old events."""

import os
import signal
import sys
from typing import Any

from tests import make
from viva.exams import store as registrations
from viva.kit import event_retention
from viva.kit.db import Connection
from viva.kit.opening import open_database


class DyingConnection:
    """Passes every statement on, and kills the process after one: by its number, or by words that it has."""

    def __init__(self, db: Connection, place: str) -> None:
        self.db = db
        self.place = place
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, sql: str, params: Any = ()) -> Any:
        answer = self.db.execute(sql, params)
        self.count += 1
        if self.place == str(self.count) or (not self.place.isdigit() and self.place in sql):
            os.kill(os.getpid(), signal.SIGKILL)
        return answer


def main(url: str, place: str, registration_id: str = "") -> None:
    database = open_database(url)
    database.secret = make.HALL.secret

    def work(db: Connection) -> None:
        dying: Any = DyingConnection(db, place)
        if registration_id:
            make.decide(dying, registrations.get(db, registration_id), make.found_agent(db, "paul"), score=70)
        else:
            event_retention.delete_old(dying, days=0)

    database.write_now(work)
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
