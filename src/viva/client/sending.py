"""Sending recorded runs to a hub and waiting for their analyses."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from viva.client.calls import Call
from viva.client.deadlines import Deadline
from viva.client.describing import OperationGroup, RunnerType, steps
from viva.client.folders import SentFolder, send_files
from viva.client.operations.analyses import AnalysesOperations
from viva.client.operations.uploads import UploadsOperations
from viva.client.retrying import fetch
from viva.client.steps import Pause, Steps
from viva.client.structs import TakenTrace, UploadAnswer
from viva.engine.analysis import Analysis
from viva.engine.model import Trace

FIRST_POLL_SECONDS, MAX_POLL_SECONDS = 0.05, 2.0

# A trace, a document in any form that Viva reads, or a file with one.
RecordedRun = Trace | dict[str, Any] | list[Any] | Path


class AnalysisFailed(Exception):
    """The hub could not analyse the trace."""


class SendingSteps(OperationGroup[RunnerType]):
    """Recorded runs: send them, have them analysed, wait for the analysis."""

    @steps
    def send(
        self, run: RecordedRun, *, dataset: str | None = None, tags: Iterable[str] = (), fast: bool = False
    ) -> Steps[TakenTrace]:
        """Store one recorded run and have it analysed."""
        answer = yield from upload(encode_run(run), "application/json", dataset, tags, fast)
        return answer.traces[0]

    @steps
    def send_all(
        self, runs: Iterable[RecordedRun], *, dataset: str | None = None, tags: Iterable[str] = (), fast: bool = False
    ) -> Steps[UploadAnswer]:
        """Store many recorded runs in one request. The hub names each run that it cannot read."""
        lines = b"".join(msgspec.json.format(encode_run(run), indent=-1) + b"\n" for run in runs)
        return (yield from upload(lines, "application/x-ndjson", dataset, tags, fast))

    @steps
    def send_folder(
        self,
        folder: Path | str,
        *,
        dataset: str | None = None,
        tags: Iterable[str] = (),
        fast: bool = False,
        on_progress: Callable[[int], None] = lambda size: None,
    ) -> Steps[SentFolder]:
        """Store the runs of all files below a folder, or of one file, in any form that Viva reads.

        Call it again to go on after a break. `on_progress` gets the bytes of the files that are done since the last call."""
        describe = partial(describe_upload, media_type="application/x-ndjson", dataset=dataset, tags=tags, fast=fast)
        return (yield from send_files(Path(folder), describe, on_progress))

    @steps
    def analyze(self, run: RecordedRun, *, fast: bool = False) -> Steps[Analysis]:
        """Analyse a run on the hub. Nothing is stored."""
        found = yield from fetch(AnalysesOperations.analyze.describe(encode_run(run), fast=fast))
        return msgspec.convert(found, Analysis)

    @steps
    def wait_for(self, sent: TakenTrace | str, timeout: float = 300.0) -> Steps[Analysis]:
        """The analysis of a run that was sent, or the analysis with this id, once it is done."""
        analysis_id = sent if isinstance(sent, str) else sent.analysis_id
        call = AnalysesOperations.show_analysis.describe(analysis_id)
        deadline, pause = Deadline(timeout, analysis_id), FIRST_POLL_SECONDS
        while True:
            found = yield from fetch(call)
            if found.status == "done":
                return msgspec.convert(found, Analysis, from_attributes=True)
            if found.status == "failed":
                raise AnalysisFailed(found.reason or "The hub gave no reason.")
            yield Pause(deadline.check(pause))
            pause = min(2 * pause, MAX_POLL_SECONDS)


def upload(
    content: bytes, media_type: Any, dataset: str | None, tags: Iterable[str], fast: bool
) -> Steps[UploadAnswer]:
    return (yield from fetch(describe_upload(content, media_type, dataset, tags, fast)))


def describe_upload(
    content: bytes, media_type: Any, dataset: str | None, tags: Iterable[str], fast: bool
) -> Call[UploadAnswer]:
    return UploadsOperations.upload_traces.describe(
        content, media_type=media_type, dataset=dataset, tags=",".join(tags) or None, fast=fast or None
    )


def encode_run(run: RecordedRun) -> bytes:
    return run.read_bytes() if isinstance(run, Path) else msgspec.json.encode(run)
