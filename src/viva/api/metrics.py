"""Metrics in the text format of Prometheus. Each server process counts its own requests.

The text is written by hand: an observation takes 0.6 µs. With prometheus-client it takes 1.9 µs, and the import 90 ms.
"""

import resource
import shutil
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from litestar import Request, Response, Router
from litestar import get as litestar_get

from viva import __version__
from viva.context import hub_of
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.http_limits import COUNTS

BUCKET_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_LABEL = "other"  # for methods and paths without a route: a client can invent any number of them


class RequestLabels(NamedTuple):
    """The labels of a request; `route` is a template such as /agents/{name}."""

    method: str
    route: str
    status: int


class Durations:
    """A histogram of response times: one count for each bucket, and one for longer times."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKET_SECONDS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKET_SECONDS, seconds)] += 1
        self.seconds += seconds


class Sample(NamedTuple):
    """One value. `labels` is the text in braces, `suffix` follows the metric's name."""

    value: float
    labels: str = ""
    suffix: str = ""


class Metric(NamedTuple):
    name: str
    kind: str
    help: str
    samples: Iterable[Sample]


durations: dict[RequestLabels, Durations] = {}


def note(method: str, route: str, status: int, seconds: float) -> None:
    labels = RequestLabels(method if method in METHODS else OTHER_LABEL, route or OTHER_LABEL, status)
    histogram = durations.get(labels)
    if histogram is None:
        histogram = durations[labels] = Durations()
    histogram.add(seconds)


def histogram_samples() -> Iterator[Sample]:
    for request, histogram in sorted(durations.items(), key=lambda pair: pair[0]):
        labels, total = render_labels(request), 0
        for bound, count in zip((*BUCKET_SECONDS, "+Inf"), histogram.counts, strict=True):
            total += count
            yield Sample(total, f'{labels},le="{bound}"', "_bucket")
        yield Sample(histogram.seconds, labels, "_sum")
        yield Sample(total, labels, "_count")


def render_labels(request: RequestLabels) -> str:
    method, route, status = request
    return f'method="{method}",route="{route}",status="{status}"'


def server_metrics(folders: dict[str, Path]) -> list[Metric]:
    """Metrics of this process."""
    refused = [Sample(count, f'status="{status}"') for status, count in sorted(COUNTS.refused.items())]
    disks = [Sample(shutil.disk_usage(folder).free, f'place="{place}"') for place, folder in folders.items()]
    return [
        Metric("viva_info", "gauge", "The version that runs.", [Sample(1, f'version="{__version__}"')]),
        Metric(
            "viva_request_duration_seconds",
            "histogram",
            "Response time by method, route and status.",
            histogram_samples(),
        ),
        Metric("viva_connections_open", "gauge", "Open connections of this process.", [Sample(COUNTS.open)]),
        Metric(
            "viva_connections_unfinished",
            "gauge",
            "Connections with an incomplete request.",
            [Sample(COUNTS.unfinished.total())],
        ),
        Metric("viva_connections_refused_total", "counter", "Incomplete requests that were refused.", refused),
        Metric("viva_disk_free_bytes", "gauge", "Free disk space for data and database.", disks),
        Metric("process_resident_memory_bytes", "gauge", "Memory of this process.", [Sample(resident_bytes())]),
        Metric("process_cpu_seconds_total", "counter", "CPU time of this process.", [Sample(time.process_time())]),
    ]


def resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:  # not on Linux
        return 0


COUNTED_ROWS = {
    "viva_sessions_active": (
        "Active sessions.",
        "SELECT count(*) FROM evaluation_sessions WHERE status = 'active'",
    ),
    "viva_registrations_in_progress": (
        "Registrations that have started and not ended.",
        "SELECT count(*) FROM evaluation_registrations WHERE status = 'in_progress'",
    ),
}


def database_metrics(db: Connection) -> list[Metric]:
    jobs = [Sample(count, f'status="{status}"') for status, count in queue.tally(db).items()]
    oldest = queue.find_oldest_waiting(db)
    age = (now() - oldest.created_at).total_seconds() if oldest else 0
    return [
        *(
            Metric(name, "gauge", help_, [Sample(db.execute(sql).fetchone()[0])])
            for name, (help_, sql) in COUNTED_ROWS.items()
        ),
        Metric("viva_jobs", "gauge", "Jobs of each status, counted up to 10,000.", jobs),
        Metric("viva_jobs_oldest_waiting_seconds", "gauge", "Age of the oldest waiting job.", [Sample(age)]),
    ]


def render_metrics(metrics: Iterable[Metric]) -> Iterator[str]:
    for name, kind, help_, samples in metrics:
        yield f"# HELP {name} {help_}\n# TYPE {name} {kind}\n"
        for value, labels, suffix in samples:
            yield f"{name}{suffix}{{{labels}}} {value}\n" if labels else f"{name}{suffix} {value}\n"


@litestar_get("/metrics")
async def show_metrics(request: Request) -> Response[str]:
    hub = hub_of(request)
    from_database = await hub.database.read(database_metrics)
    text = "".join(render_metrics([*server_metrics(hub.folders), *from_database]))
    return Response(text, media_type="text/plain; version=0.0.4")


router = Router("/", route_handlers=[show_metrics])
