"""The process of the gate: a proposal is hostile, so it is sat outside the hub's own processes, within limits."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, NamedTuple, cast

import msgspec

from viva.contributions.gate_model import GateTask, make_unchecked
from viva.contributions.model import GateOutcome

GATE_MODULE = "viva.gating"  # above this floor, so it is started by name and never imported
MAX_LOGGED_BYTES = 2_000  # of what a failed process wrote
MAX_OUTCOME_BYTES = 1024 * 1024  # a report has about 2,000 bytes
# What the process gets of the environment beside the settings of the judge: no secret of the hub.
KEPT_VARIABLES = (
    "PATH LANG LC_ALL PYTHONPATH TMPDIR HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR "
    "http_proxy https_proxy no_proxy"
).split()

log = logging.getLogger(__name__)


class GateLimits(NamedTuple):
    """The limits of one gate without a judge. It takes seconds; its job keeps a worker busy as long."""

    sitting_seconds: float = 60  # after which no further agent sits
    wall_seconds: float = 90  # after which the process is killed
    memory_bytes: int = 2 * 1024**3  # of address space; a scratch hub has about 0.4 GB, most of it never touched


JUDGED_LIMITS = GateLimits(480, 600)  # about 15 gradings of the whole rubric, each up to half a minute


def run_process(task: GateTask, settings: Mapping[str, str], limits: GateLimits) -> list[GateOutcome]:
    """What the agents reached. A process that fails or takes too long has checked nothing."""
    with (
        tempfile.TemporaryDirectory(prefix="viva-gate-") as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        command = [sys.executable, "-m", GATE_MODULE, folder, str(limits.memory_bytes)]
        process = subprocess.Popen(  # noqa: S603 - the command has no text of a proposal
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            cwd=folder,
            env=environment_of(settings),
            start_new_session=True,
        )
        try:
            code = wait_for(process, task, limits.wall_seconds)
        finally:
            end_group(process)
        if code:
            log.warning("The process of a gate ended with %d: %s", code, read_start(errors, MAX_LOGGED_BYTES))
        return read_outcomes(code, read_start(output, MAX_OUTCOME_BYTES), limits)


def read_start(file: IO[bytes], size: int) -> bytes:
    file.seek(0)
    return file.read(size)


def environment_of(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | dict(settings)


def wait_for(process: "subprocess.Popen[bytes]", task: GateTask, seconds: float) -> int | None:
    """The exit code, or None if the time is over. Its input stays open: the process ends with ours."""
    stdin = cast(IO[bytes], process.stdin)
    try:
        with suppress(BrokenPipeError):  # it ended before it read the task
            stdin.write(msgspec.json.encode(task) + b"\n")
            stdin.flush()
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process with its own child processes, and wait for its end."""
    with suppress(ProcessLookupError):  # all have ended
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def read_outcomes(code: int | None, output: bytes, limits: GateLimits) -> list[GateOutcome]:
    if code is None:
        return make_unchecked(f"The gate was stopped after {limits.wall_seconds:g} seconds.")
    try:
        return msgspec.json.decode(output, type=list[GateOutcome])
    except (msgspec.DecodeError, UnicodeDecodeError):
        reason = "It may have used too much memory." if code else "It gave no report."
        return make_unchecked(f"The process of the gate failed. {reason}")
