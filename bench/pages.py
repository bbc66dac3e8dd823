"""Response times of pages and API reads with few and with many results.

BENCH_RESULTS is the largest number of results, 100,000 by default. The app runs in this process, without a network."""

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

from bench.filling import FEEDBACK, LONG_SESSION_MESSAGES, VERSIONS, FilledIds, fill_database
from bench.jobs import new_database, postgres
from viva.app import litestar_app
from viva.config import Config
from viva.results.listing import cursor_after
from viva.results.sort_orders import SORT_ORDERS
from viva.web.wording import address, path_part

FEW, AGENTS = 1_000, 10_000
MANY = int(os.environ.get("BENCH_RESULTS", "100000"))
SIZES = sorted({FEW, MANY, *(size for size in (100_000, 1_000_000) if size < MANY)})
TIMED_REQUESTS = 30
FIRST_PART_BYTES = 2_000  # of a file; more than its heading
GOAL_RATIO, GOAL_MS, GOAL_SESSION_MS = 1.5, 100, 200


class Read(NamedTuple):
    """A request: its path for a filled database, and the goal for its time."""

    what: str
    path: Callable[[FilledIds], str]
    goal_ms: float = GOAL_MS


class FilledApp(NamedTuple):
    app: Litestar
    ids: FilledIds


def page(what: str, **query: object) -> Read:
    return Read(f"page {what}", lambda ids: address(f"/evaluations/{path_part(ids.evaluation_id)}", **query))


def api(what: str, part: str, **query: object) -> Read:
    return Read(
        f"API {what}", lambda ids: address(f"/api/v1/evaluations/{path_part(ids.evaluation_id)}/{part}", **query)
    )


def results_with(what: str, query: Callable[[FilledIds], dict[str, object]]) -> Read:
    """Results for a query that depends on the database, such as a name or a cursor."""
    return Read(
        f"API {what}",
        lambda ids: address(f"/api/v1/evaluations/{path_part(ids.evaluation_id)}/results", **query(ids)),
    )


def few_results(sort: str) -> Read:
    """Results of a small evaluation on a hub with many agents."""
    return Read(
        f"API few results by {sort}",
        lambda ids: address(f"/api/v1/evaluations/{path_part(ids.small_id)}/results", sort=sort),
    )


READS = [
    page("evaluation"),
    page("of a version", version=VERSIONS[1]),
    page("sorted by score", sort="-score"),
    page("of agents by a part of their name", agent="99 of"),
    page("of passed results", passed="yes"),
    page("with a search", q="straight answer"),
    *(api(f"results by {sign}{name}", "results", sort=f"{sign}{name}") for name in SORT_ORDERS for sign in ("", "-")),
    api("results of a version", "results", version=VERSIONS[1]),
    api("results of a version by score", "results", version=VERSIONS[1], sort="-score"),
    api("passed results", "results", passed="true"),
    api("failed results of a version", "results", passed="false", version=VERSIONS[1]),
    api("results with a common word", "results", q=FEEDBACK[0].split()[0]),
    api("results with an unknown word", "results", q="xyzzy"),
    results_with("results of an agent", lambda ids: {"agent": ids.agent}),
    results_with("results of an agent by score", lambda ids: {"agent": ids.agent, "sort": "-score"}),
    results_with("results of a proctor", lambda ids: {"proctor": ids.proctor}),
    results_with("results of a proctor by score", lambda ids: {"proctor": ids.proctor, "sort": "-score"}),
    results_with("results from the middle", lambda ids: {"cursor": cursor_after(ids.middle_result_id)}),
    results_with(
        "results by score, the middle", lambda ids: {"sort": "-score", "cursor": cursor_after(ids.middle_result_id)}
    ),
    api("results of agents by a part of a name", "results", agent="99 of"),
    api("results of agents by a part, by score", "results", agent="99 of", sort="-score"),
    api("results of all proctors by a part", "results", proctor="of the"),
    few_results("-score"),
    api("leaderboard", "leaderboard"),
    api("leaderboard of a version", "leaderboard", version=VERSIONS[1]),
    api("findings", "findings"),
    api("findings of a version", "findings", version=VERSIONS[1]),
    api("matrix", "matrix"),
    # Parquet writes nothing before a whole group of rows is complete.
    *(api(f"export, first part, {name}", "results/export", format=name) for name in ("csv", "jsonl")),
    Read("page result", lambda ids: f"/evaluations/result/{ids.middle_result_id}"),
    Read("page agents", lambda ids: "/agents"),
    Read("page agents by name", lambda ids: "/agents?sort=name"),
    Read("page agents by activity", lambda ids: "/agents?sort=recent"),
    Read("page agent", lambda ids: f"/u/{path_part(ids.agent)}"),
    Read("page results of an agent", lambda ids: f"/u/{path_part(ids.agent)}/results"),
    Read("page home", lambda ids: "/"),
    Read("page search", lambda ids: "/search?q=agent"),
    Read("page long session, start", lambda ids: f"/evaluations/result/{ids.long_result_id}", GOAL_SESSION_MS),
    Read(
        "page long session, middle",
        lambda ids: f"/evaluations/result/{ids.long_result_id}?after={LONG_SESSION_MESSAGES // 2}",
        GOAL_SESSION_MS,
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
                apps = {size: open_app(stack, url_of(f"pages_{size}"), Path(folder), size) for size in SIZES}
                asyncio.run(measure_all(where, apps))


def open_app(stack: contextlib.ExitStack, url: str, folder: Path, size: int) -> FilledApp:
    database, ids = fill_database(url, size, min(AGENTS, size))
    stack.callback(database.close)
    settings = {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(folder), "VIVA_RATE_LIMIT": "off", "VIVA_NO_WORKER": "1"}
    return FilledApp(litestar_app(Config.from_environment(settings), database), ids)


async def measure_all(where: str, apps: dict[int, FilledApp]) -> None:
    """Measure few and many results in alternation, because other load may come and go."""
    for read in READS:
        times: dict[int, list[float]] = {size: [] for size in apps}
        for turn in range(TIMED_REQUESTS + 1):
            for size, (app, ids) in apps.items():
                seconds = await response_seconds(app, read.path(ids))
                if turn:  # the first request fills the caches
                    times[size].append(seconds * 1000)
        print_times(where, read, {size: median(rounds) for size, rounds in times.items()})


def print_times(where: str, read: Read, times: dict[int, float]) -> None:
    many = max(times)
    ratio = times[many] / times[FEW]
    missed = [
        goal for goal, is_met in (("ratio", ratio <= GOAL_RATIO), ("time", times[many] < read.goal_ms)) if not is_met
    ]
    figures = "".join(f"{time:>9.2f} ms with {size:,}" for size, time in times.items())
    print(
        f"  {where:<11}{read.what:<34}{figures}  ratio{ratio:>6.2f}  goals {GOAL_RATIO}, {read.goal_ms} ms"
        f"{'  MISSED: ' + ', '.join(missed) if missed else ''}",
        flush=True,
    )


async def response_seconds(app: Litestar, path: str) -> float:
    """Seconds until the whole answer is sent. For a file that is sent in parts: until its first rows are sent."""
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
    arrival: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    sent = 0

    async def send(message: Any) -> None:
        nonlocal sent
        if message["type"] == "http.response.start":
            assert message["status"] == 200, (message["status"], path)
            return
        sent += len(message.get("body", b""))
        if not arrival.done() and (sent > FIRST_PART_BYTES or not message.get("more_body")):
            arrival.set_result(perf_counter())

    started = perf_counter()
    answering = asyncio.create_task(call(app, scope, receive_until(arrival), send))
    await asyncio.wait({arrival, answering}, return_when=asyncio.FIRST_COMPLETED)
    if not arrival.done():
        answering.result()
    answering.cancel()
    await asyncio.gather(answering, return_exceptions=True)
    return arrival.result() - started


async def call(app: Litestar, scope: Any, receive: Any, send: Any) -> float:
    await app(scope, receive, send)
    return perf_counter()


def receive_until(arrival: "asyncio.Future[float]") -> Any:
    """What the client sends: a request without a body, and a disconnect after the answer."""
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Any:
        for message in messages:
            return message
        await asyncio.wait([arrival])
        return {"type": "http.disconnect"}

    return receive
