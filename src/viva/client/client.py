"""The client of a hub: send recorded runs, wait for their analyses, read them."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from viva.client.model import HubAnalysis, HubTrace, SentTrace, SentTraces
from viva.client.transport import Transport
from viva.engine.analysis import Analysis
from viva.engine.model import Trace

DEFAULT_HUB = "http://127.0.0.1:8000"
FIRST_POLL_SECONDS, MAX_POLL_SECONDS = 0.05, 2.0
JSON_LINES = "application/x-ndjson"
TRACES_PER_REQUEST = 200  # the most that a hub gives at once

# A trace, a document in any form that Viva reads, or a file with one.
RecordedRun = Trace | dict[str, Any] | list[Any] | Path


class AnalysisFailed(Exception):
    """The hub could not analyse the trace."""


class AnalysisLate(Exception):
    """The analysis was not done in time. It may be done later."""


class Client:
    """A hub, as one account sees it. Without arguments, the address is VIVA_HUB and the key is VIVA_KEY."""

    def __init__(self, url: str | None = None, key: str | None = None) -> None:
        self._hub = Transport(url or os.environ.get("VIVA_HUB") or DEFAULT_HUB, key or os.environ.get("VIVA_KEY"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._hub.close()

    def send(
        self, run: RecordedRun, *, dataset: str | None = None, tags: Iterable[str] = (), fast: bool = False
    ) -> SentTrace:
        """Store one recorded run and have it analysed."""
        query = upload_query(dataset, tags, fast)
        answer = self._hub.send("POST", "/api/v1/traces", query=query, body=encode_run(run))
        return msgspec.json.decode(answer, type=SentTraces).traces[0]

    def send_all(
        self, runs: Iterable[RecordedRun], *, dataset: str | None = None, tags: Iterable[str] = (), fast: bool = False
    ) -> SentTraces:
        """Store many recorded runs in one request. The hub names each run that it cannot read."""
        body = b"".join(msgspec.json.format(encode_run(run), indent=-1) + b"\n" for run in runs)
        query = upload_query(dataset, tags, fast)
        answer = self._hub.send("POST", "/api/v1/traces", query=query, body=body, media_type=JSON_LINES)
        return msgspec.json.decode(answer, type=SentTraces)

    def analyze(self, run: RecordedRun, *, fast: bool = False) -> Analysis:
        """Analyse a run on the hub. Nothing is stored."""
        answer = self._hub.send("POST", "/api/v1/analyze", query=flags(fast=fast), body=encode_run(run))
        return msgspec.json.decode(answer, type=Analysis)

    def traces(
        self,
        *,
        dataset: str | None = None,
        tag: str | None = None,
        sort: Literal["-received_at", "received_at", "overall_score", "-overall_score", "name", "-name"] | None = None,
    ) -> Iterator[HubTrace]:
        """Your traces, newest first. Further pages are fetched when they are needed."""
        cursor = None
        while True:
            query = {"dataset": dataset, "tag": tag, "sort": sort, "cursor": cursor, "limit": TRACES_PER_REQUEST}
            page = msgspec.json.decode(
                self._hub.send("GET", "/api/v1/traces", query=query), type=dict[str, msgspec.Raw]
            )
            yield from msgspec.json.decode(page["traces"], type=list[HubTrace])
            cursor = msgspec.json.decode(page["next_cursor"], type=str | None)
            if cursor is None:
                return

    def trace(self, trace_id: str) -> dict[str, Any]:
        """A trace as it was read, with its analyses."""
        found: dict[str, Any] = msgspec.json.decode(self._hub.send("GET", f"/api/v1/traces/{trace_id}"))
        return found

    def delete(self, trace_id: str) -> None:
        """Delete a trace with its text and its analyses."""
        self._hub.send("DELETE", f"/api/v1/traces/{trace_id}")

    def analyze_again(self, trace_id: str, *, fast: bool = False, judge: bool = False) -> HubAnalysis:
        """Have a stored trace analysed once more."""
        body = msgspec.json.encode({"fast": fast, "judge": judge})
        answer = self._hub.send("POST", f"/api/v1/traces/{trace_id}/analyses", body=body)
        return msgspec.json.decode(answer, type=dict[str, HubAnalysis])["analysis"]

    def analysis_run(self, analysis_id: str) -> HubAnalysis:
        """How far an analysis is."""
        return msgspec.json.decode(self._hub.send("GET", f"/api/v1/analyses/{analysis_id}"), type=HubAnalysis)

    def wait_for(self, sent: SentTrace | str, timeout: float = 300.0) -> Analysis:
        """The analysis of a trace that was sent, or the analysis with this id, once it is done."""
        analysis_id = sent if isinstance(sent, str) else sent.analysis_id
        until, pause = time.monotonic() + timeout, FIRST_POLL_SECONDS
        while True:
            answer = self._hub.send("GET", f"/api/v1/analyses/{analysis_id}")
            run = msgspec.json.decode(answer, type=HubAnalysis)
            if run.status == "done":
                return msgspec.json.decode(answer, type=Analysis)
            if run.status == "failed":
                raise AnalysisFailed(run.reason or "The hub gave no reason.")
            if time.monotonic() + pause > until:
                raise AnalysisLate(f"{analysis_id} is not done after {timeout:g} seconds.")
            time.sleep(pause)
            pause = min(2 * pause, MAX_POLL_SECONDS)


def upload_query(dataset: str | None, tags: Iterable[str], fast: bool) -> dict[str, Any]:
    return {"dataset": dataset, "tags": ",".join(tags) or None} | flags(fast=fast)


def flags(**chosen: bool) -> dict[str, str]:
    return {name: "true" for name, value in chosen.items() if value}


def encode_run(run: RecordedRun) -> bytes:
    return run.read_bytes() if isinstance(run, Path) else msgspec.json.encode(run)
