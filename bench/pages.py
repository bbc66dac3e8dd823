"""What the pages of an evaluation and its reads cost with few and with many results; BENCH_RESULTS is the most, 100,000 by default.

The time is the server's own: the app is called in this process, without a network."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from litestar import Litestar

from bench.filling import FEEDBACK, LONG_TALK, VERSIONS, Made, filled
from bench.jobs import new_database, postgres
from viva.app import litestar_app
from viva.config import Config
from viva.results.listing import cursor_after
from viva.results.sort_orders import SORT_ORDERS
from viva.web.wording import address, path_part

FEW, AGENTS = 1_000, 10_000
MANY = int(os.environ.get("BENCH_RESULTS", "100000"))
SIZES = sorted({FEW, MANY, *(size for size in (100_000, 1_000_000) if size < MANY)})
TIMED = 30
FIRST_PART = 2_000  # bytes of a file, which are more than its heading
RATIO, MOST_MS, MOST_MS_OF_TALK = 1.5, 100, 200  # the goals


class Read(NamedTuple):
    """Something that is asked for: its path in a filled database, and how long it may take."""

    what: str
    path: Callable[[Made], str]
    most_ms: float = MOST_MS


class Hall(NamedTuple):
    app: Litestar
    made: Made


def page(what: str, **query: object) -> Read:
    return Read(f"page {what}", lambda made: address(f"/evaluations/{path_part(made.evaluation_id)}", **query))


def api(what: str, part: str, **query: object) -> Read:
    return Read(
        f"API {what}", lambda made: address(f"/api/v1/evaluations/{path_part(made.evaluation_id)}/{part}", **query)
    )


def asked_of(what: str, query: Callable[[Made], dict[str, object]]) -> Read:
    """Results by what only the filled database knows: a name, a place in the list."""
    return Read(
        f"API {what}",
        lambda made: address(f"/api/v1/evaluations/{path_part(made.evaluation_id)}/results", **query(made)),
    )


def few(sort: str) -> Read:
    """Of an evaluation that few have taken, on a hub that has many agents."""
    return Read(
        f"API few results by {sort}",
        lambda made: address(f"/api/v1/evaluations/{path_part(made.small_id)}/results", sort=sort),
    )


READS = [
    page("evaluation"),
    page("of a version", version=VERSIONS[1]),
    page("sorted by score", sort="-score"),
    page("of agents by a part of their name", agent="99 of"),
    page("of those passed", passed="yes"),
    page("looking for a word", q="straight answer"),
    *(api(f"results by {sign}{name}", "results", sort=f"{sign}{name}") for name in SORT_ORDERS for sign in ("", "-")),
    api("results of a version", "results", version=VERSIONS[1]),
    api("results of a version by score", "results", version=VERSIONS[1], sort="-score"),
    api("results passed", "results", passed="true"),
    api("results not passed, of a version", "results", passed="false", version=VERSIONS[1]),
    api("results with a common word", "results", q=FEEDBACK[0].split()[0]),
    api("results with a word nobody said", "results", q="xyzzy"),
    asked_of("results of an agent", lambda made: {"agent": made.agent}),
    asked_of("results of an agent by score", lambda made: {"agent": made.agent, "sort": "-score"}),
    asked_of("results of a proctor", lambda made: {"proctor": made.proctor}),
    asked_of("results of a proctor by score", lambda made: {"proctor": made.proctor, "sort": "-score"}),
    asked_of("results from the middle", lambda made: {"cursor": cursor_after(made.middle)}),
    asked_of("results by score, the middle", lambda made: {"sort": "-score", "cursor": cursor_after(made.middle)}),
    api("results of agents by a part of a name", "results", agent="99 of"),
    api("results of agents by a part, by score", "results", agent="99 of", sort="-score"),
    api("results of all proctors by a part", "results", proctor="of the"),
    few("-score"),
    api("leaderboard", "leaderboard"),
    api("leaderboard of a version", "leaderboard", version=VERSIONS[1]),
    api("findings", "findings"),
    api("findings of a version", "findings", version=VERSIONS[1]),
    api("matrix", "matrix"),
    # Parquet has no first part before a whole group of rows is written.
    *(api(f"export, first part, {name}", "results/export", format=name) for name in ("csv", "jsonl")),
    Read("page result", lambda made: f"/evaluations/result/{made.middle}"),
    Read("page agents", lambda made: "/agents"),
    Read("page agents by name", lambda made: "/agents?sort=name"),
    Read("page agents by activity", lambda made: "/agents?sort=recent"),
    Read("page agent", lambda made: f"/u/{path_part(made.agent)}"),
    Read("page results of an agent", lambda made: f"/u/{path_part(made.agent)}/results"),
    Read("page home", lambda made: "/"),
    Read("page search", lambda made: "/search?q=agent"),
    Read("page talk, first part", lambda made: f"/evaluations/result/{made.talked}", MOST_MS_OF_TALK),
    Read(
        "page talk, middle part",
        lambda made: f"/evaluations/result/{made.talked}?after={LONG_TALK // 2}",
        MOST_MS_OF_TALK,
    ),
]


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as server:
        places: dict[str, Callable[[str], str]] = {
            "SQLite": lambda name: f"sqlite:///{folder}/{name}.db",
            "PostgreSQL": partial(new_database, server),
        }
        for where, url_of in places.items():
            with contextlib.ExitStack() as stack:
                halls = {size: hall(stack, url_of(f"pages_{size}"), Path(folder), size) for size in SIZES}
                asyncio.run(timed_all(where, halls))


def hall(stack: contextlib.ExitStack, url: str, folder: Path, size: int) -> Hall:
    database, made = filled(url, size, min(AGENTS, size))
    stack.callback(database.close)
    settings = {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(folder), "VIVA_RATE_LIMIT": "off", "VIVA_NO_WORKER": "1"}
    return Hall(litestar_app(Config.from_environment(settings), database), made)


async def timed_all(where: str, halls: dict[int, Hall]) -> None:
    """With few and with many results by turns, since the machine may have other work to do."""
    for read in READS:
        times: dict[int, list[float]] = {size: [] for size in halls}
        for turn in range(TIMED + 1):
            for size, (app, made) in halls.items():
                took = await server_time(app, read.path(made))
                if turn:  # the first time, what is kept in memory is not there yet
                    times[size].append(took * 1000)
        tell(where, read, {size: median(found) for size, found in times.items()})


def tell(where: str, read: Read, times: dict[int, float]) -> None:
    many = max(times)
    ratio = times[many] / times[FEW]
    missed = [
        goal
        for goal, is_met in ((f"{RATIO} of it", ratio <= RATIO), ("its time", times[many] < read.most_ms))
        if not is_met
    ]
    figures = "".join(f"{took:>9.2f} ms with {size:,}" for size, took in times.items())
    print(
        f"  {where:<11}{read.what:<34}{figures}{ratio:>7.2f} of it  goals {RATIO}, {read.most_ms} ms"
        f"{'  MISSED: ' + ', '.join(missed) if missed else ''}",
        flush=True,
    )


async def server_time(app: Litestar, path: str) -> float:
    """Seconds until the whole answer is there; of a file that is sent in parts, until its first rows are."""
    parts = urlsplit(path)
    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", b"hub.example")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    came: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    sent = 0

    async def send(message: Any) -> None:
        nonlocal sent
        if message["type"] == "http.response.start":
            assert message["status"] == 200, (message["status"], path)
            return
        sent += len(message.get("body", b""))
        if not came.done() and (sent > FIRST_PART or not message.get("more_body")):
            came.set_result(perf_counter())

    began = perf_counter()
    answering = asyncio.create_task(call(app, scope, nothing_more(came), send))
    await asyncio.wait({came, answering}, return_when=asyncio.FIRST_COMPLETED)
    if not came.done():
        answering.result()
    answering.cancel()
    await asyncio.gather(answering, return_exceptions=True)
    return came.result() - began


async def call(app: Litestar, scope: Any, receive: Any, send: Any) -> float:
    await app(scope, receive, send)
    return perf_counter()


def nothing_more(came: "asyncio.Future[float]") -> Any:
    """What the client sends: a request without a body, and then nothing, until it hangs up."""
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Any:
        for message in asked:
            return message
        await asyncio.wait([came])
        return {"type": "http.disconnect"}

    return receive
