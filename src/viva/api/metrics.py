"""What a monitor asks for, in the text form of Prometheus; requests are counted by the process that answers."""

from collections import Counter
from typing import NamedTuple

from litestar import Request, Response, Router
from litestar import get as litestar_get

from viva import __version__
from viva.context import hub_of
from viva.jobs import queue
from viva.kit.db import Connection


class Answered(NamedTuple):
    method: str
    status: int


requests: Counter[Answered] = Counter()
seconds: dict[Answered, float] = {}

GAUGES = {
    "viva_sessions_active": "SELECT count(*) FROM evaluation_sessions WHERE status = 'active'",
    "viva_registrations_in_progress": "SELECT count(*) FROM evaluation_registrations WHERE status = 'in_progress'",
}


def note(method: str, status: int, took: float) -> None:
    answered = Answered(method, status)
    requests[answered] += 1
    seconds[answered] = seconds.get(answered, 0.0) + took


def lines(db: Connection) -> list[str]:
    told = ["# TYPE viva_info gauge", f'viva_info{{version="{__version__}"}} 1']
    for name, counted in (("viva_requests_total", requests), ("viva_request_seconds_total", seconds)):
        told.append(f"# TYPE {name} counter")
        told += [
            f'{name}{{method="{of.method}",status="{of.status}"}} {value}' for of, value in sorted(counted.items())
        ]
    for name, sql in GAUGES.items():
        told += [f"# TYPE {name} gauge", f"{name} {db.execute(sql).fetchone()[0]}"]
    jobs = [f'viva_jobs{{status="{status}"}} {count}' for status, count in queue.tally(db).items()]
    return [*told, "# TYPE viva_jobs gauge", *jobs]


@litestar_get("/metrics")
async def show_metrics(request: Request) -> Response[str]:
    told = await hub_of(request).database.read(lines)
    return Response("\n".join(told) + "\n", media_type="text/plain; version=0.0.4")


router = Router("/", route_handlers=[show_metrics])
