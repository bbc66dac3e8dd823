"""Commands that run a hub: its server, its workers, and the schema of its database."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

from viva.cli.options import DatabaseOption, JsonOption, print_answer, use


def serve(
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="The address to listen on; 127.0.0.1 if not given.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", min=0, max=65535, help="The port to listen on; 8000 if not given.")
    ] = None,
    database: DatabaseOption = None,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Server processes; more than one needs PostgreSQL.")
    ] = 1,
    demo: Annotated[
        bool, typer.Option("--demo", help="Fill an empty hub with example data and scripted agents that take part.")
    ] = False,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave background work to `viva worker`.")] = False,
) -> None:
    """Serve the API and the pages."""
    with pause_collector(), suppress(KeyboardInterrupt):  # Ctrl-C stops a server, also while it starts
        from viva.serving import serve

        use(VIVA_HOST=host, VIVA_PORT=port, VIVA_DATABASE_URL=database, VIVA_NO_WORKER="1" if no_worker else None)
        use(VIVA_DEMO="1" if demo else None)
        serve(processes, demo)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Start without the garbage collector, which would search what was just loaded. A server process enables it again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def worker(
    database: DatabaseOption = None,
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, max=256, help="Number of jobs at the same time.")] = 4,
) -> None:
    """Run background jobs. Use it beside servers, or in place of their own workers (--no-worker)."""
    from viva.serving import work

    use(VIVA_DATABASE_URL=database)
    work(concurrency)


def migrate(database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Update the schema of the database."""
    from viva.config import Config
    from viva.serving import migrate_schema

    use(VIVA_DATABASE_URL=database)
    steps = migrate_schema(Config.from_environment().database_url)
    print_answer({"applied": steps}, as_json, f"Applied {', '.join(steps)}." if steps else "The schema is up to date.")
