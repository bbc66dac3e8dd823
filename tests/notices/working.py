"""Doing the background work of notices in a test: what is due, or all that waits for later too."""

from functools import partial
from pathlib import Path
from typing import Any

from viva.contributions.private_links import private_link
from viva.jobs import queue
from viva.jobs.model import Work
from viva.jobs.workers import keep_result
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.notices import delivering, mailing
from viva.notices.settings import NoticeSettings
from viva.notices.smtp import SmtpServer

SECRET = b"the secret of a hub in tests"


def settings(folder: Path, smtp: SmtpServer | None = None, hosts: tuple[str, ...] = ()) -> NoticeSettings:
    return NoticeSettings("https://hub.example", SECRET, "Viva <viva@hub.example>", smtp, folder / "outbox", hosts)


def table(of: NoticeSettings) -> dict[str, Work]:
    return {
        "send_email": mailing.work(of, partial(private_link, of.secret)),
        "remove_outbox_files": mailing.removal_work(of),
        "deliver_webhook": delivering.work(of),
    }


def do_due(db: Connection, of: NoticeSettings) -> int:
    """Do the jobs that are due, and return their number."""
    works, done = table(of), 0
    while job := queue.take(db, 30):
        task = works[job.work].read(db, job.data)
        keep_result(db, job, works[job.work], task, works[job.work].think(task))
        done += 1
    return done


def do_and_die(db: Connection, of: NoticeSettings) -> Any:
    """Do one job, but die before its end is noted: its lease ends, so it is due again."""
    job = queue.take(db, 30)
    assert job
    work = table(of)[job.work]
    thought = work.think(work.read(db, job.data))
    db.execute("UPDATE jobs SET due_at = ? WHERE id = ?", [now(), job.id])
    return thought


def hurry(db: Connection) -> None:
    """Let every pause be over."""
    db.execute("UPDATE jobs SET due_at = ? WHERE status = 'waiting'", [now()])


def pauses(db: Connection) -> list[int]:
    """The minutes until each waiting job is due."""
    jobs = queue.list_jobs(db, "waiting", 50, None).items
    return [round((job.due_at - now()).total_seconds() / 60) for job in jobs if job.due_at]
