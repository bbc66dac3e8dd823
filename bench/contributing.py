"""Server time of saving a step of the contribution form, with few and with many rows.

The app runs in this process, without a network. A save validates nothing; the page after it does, and is timed apart."""

import asyncio
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlencode

from litestar import Litestar

from bench.jobs import new_database, postgres
from viva.app import litestar_app
from viva.config import Config
from viva.contributions import drafting, ownership
from viva.contributions.model import Proposal
from viva.contributions.templates import load_template
from viva.exams.model import HubFacts
from viva.kit.db import Connection, Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.web.contribute_access import TOKENS_COOKIE, address_of_draft

SAVES = 30
GOAL_SAVE_MS = 50
MANY_QUESTIONS = 200  # as many rows as the form shows
HUB = HubFacts(b"the secret of a benchmark", "http://hub.example")


class TimedDraft(NamedTuple):
    """A draft, the cookie that opens it, and the fields of its second step."""

    id: str
    cookie: str
    fields: dict[str, str]


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as server:
        places: dict[str, Callable[[str], str]] = {
            "SQLite": lambda name: f"sqlite:///{folder}/{name}.db",
            "PostgreSQL": partial(new_database, server),
        }
        for where, url_of in places.items():
            asyncio.run(measure(where, url_of("contributing"), Path(folder)))


async def measure(where: str, url: str, folder: Path) -> None:
    migrate(url)
    database = open_database(url)
    settings = {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(folder), "VIVA_RATE_LIMIT": "off", "VIVA_NO_WORKER": "1"}
    app = litestar_app(Config.from_environment(settings), database)
    for what, proposal in (("5 probes", load_template("agent_certification").example), ("200 questions", large())):
        draft = begin(database, proposal)
        await measure_saves(where, what, app, draft)
    database.close()


def large() -> Proposal:
    questions = [
        {"id": f"q{at}", "kind": "choice", "text": "Which of them?", "options": ["a", "b"], "answer": "a", "points": 1}
        for at in range(MANY_QUESTIONS)
    ]
    return Proposal(name="Large", type="complex_benchmark", config={"questions": questions})


def begin(database: Database, proposal: Proposal) -> TimedDraft:
    def unit(db: Connection) -> drafting.NewDraft:
        contributor = ownership.read_contributor(None, "Ada", "ada@example.org")
        return drafting.create(db, HUB, proposal, contributor)

    draft = database.write_now(unit)
    id_ = draft.contribution.id
    return TimedDraft(
        id_, f"{TOKENS_COOKIE}={id_}:{draft.token}", {"points": "1"} | dict(fields_of("config", proposal.config))
    )


def fields_of(path: str, value: Any) -> Any:
    """The fields as a browser sends them: lists of texts as lines, everything else by its path."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from fields_of(f"{path}.{key}", child)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for at, child in enumerate(value):
            yield f"{path}[{at}]", "1"
            yield from fields_of(f"{path}[{at}]", child)
    else:
        yield path, "\n".join(value) if isinstance(value, list) else str(value)


async def measure_saves(where: str, what: str, app: Litestar, draft: TimedDraft) -> None:
    saves, shows = [], []
    for turn in range(SAVES + 1):
        fields = draft.fields | {"revision": str(turn + 1), "points": str(turn + 1), "do": "save"}
        body = urlencode(fields).encode()
        saved = await seconds(app, draft, "POST", body, 303)
        shown = await seconds(app, draft, "GET", b"", 200)
        if turn:  # the first request fills the caches
            saves.append(saved * 1000)
            shows.append(shown * 1000)
    missed = "  MISSED" if median(saves) >= GOAL_SAVE_MS else ""
    print(
        f"  {where:<11}{what:<14}save{median(saves):>8.2f} ms, goal {GOAL_SAVE_MS} ms{missed}"
        f"   page after it{median(shows):>8.2f} ms",
        flush=True,
    )


async def seconds(app: Litestar, draft: TimedDraft, method: str, body: bytes, expected_status: int) -> float:
    """Seconds from the request to the last byte of the answer."""
    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": address_of_draft(draft.id),
        "raw_path": address_of_draft(draft.id).encode(),
        "query_string": b"step=2",
        "root_path": "",
        "headers": [
            (b"host", b"hub.example"),
            (b"cookie", draft.cookie.encode()),
            (b"sec-fetch-site", b"same-origin"),
            (b"content-type", b"application/x-www-form-urlencoded"),
            (b"content-length", str(len(body)).encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == expected_status, (message["status"], method)

    started = perf_counter()
    await app(scope, receive, send)
    return perf_counter() - started
