"""Analyses files of traces on all cores. The order stays, and memory does not grow with the number of traces."""

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import msgspec

from viva.engine.analysis import Analysed, leave_out_unsure
from viva.engine.analyze import analyze
from viva.engine.cluster import Cluster
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import RawTrace, parse, read_traces
from viva.engine.logistic import BASE_RATE
from viva.judging.model import Judge

CHUNK_TRACES = 16  # for one process at a time; few, so that all processes finish at about the same time
CHUNK_BYTES = 1 << 20
CHUNKS_AHEAD = 4  # for each process; chunks that are read before the first result is awaited
CHUNKS_WITH_JUDGE = 4  # chunks at once with a judge; they wait for the network and need no core


class AnalysisOptions(NamedTuple):
    """The options for every trace of a run."""

    judge: Judge | None = None
    sentence_model: bool = True
    base_rate: float = BASE_RATE
    min_confidence: float = 0.0


DEFAULT_OPTIONS = AnalysisOptions()


def analyze_files(
    paths: Iterable[str | Path],
    jobs: int = 1,
    options: AnalysisOptions = DEFAULT_OPTIONS,
    cluster: Cluster | None = None,
) -> Iterator[Analysed]:
    """Analyse every trace of the files. The order does not depend on the number of jobs.

    After the first fault nothing more is analysed. The rest is still checked, so that every fault is reported.
    """
    chunks = make_chunks(chain.from_iterable(map(read_traces, paths)))
    first = list(islice(chunks, 2))
    pool, ahead = executor(jobs, options, cluster) if len(first) > 1 else (None, 1)
    if pool is None:
        yield from analyse_one_by_one(chain(first, chunks), options)
        return
    with pool:
        yield from analyse_in_pool(pool, ahead, chain(first, chunks), options)


def executor(jobs: int, options: AnalysisOptions, cluster: Cluster | None) -> tuple[Executor | None, int]:
    """The executor for many traces and its number of chunks at once. None means this process, one by one."""
    if options.judge is not None:
        # Threads share the judge's budget.
        return ThreadPoolExecutor(CHUNKS_WITH_JUDGE), CHUNKS_WITH_JUDGE
    if cluster is not None:
        return cluster, cluster.cores * CHUNKS_AHEAD
    if jobs == 1:
        return None, 1
    return ProcessPoolExecutor(jobs, initializer=end_with_parent, initargs=(os.getpid(),)), jobs * CHUNKS_AHEAD


def end_with_parent(parent: int) -> None:
    """End this process when its parent has ended, for whatever reason."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def analyse_one_by_one(chunks: Iterator[list[RawTrace]], options: AnalysisOptions | None) -> Iterator[Analysed]:
    for item in chain.from_iterable(chunks):
        done = analyse_item(item, options)
        options = None if done.fault else options
        yield done


def analyse_in_pool(
    pool: Executor, ahead: int, chunks: Iterator[list[RawTrace]], options: AnalysisOptions | None
) -> Iterator[Analysed]:
    waiting: deque[Future[list[Analysed]]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(analyse_chunk, chunk, options))
        if len(waiting) >= ahead:
            done = waiting.popleft().result()
            options = None if any(item.fault for item in done) else options
            yield from done
    while waiting:
        yield from waiting.popleft().result()


def analyse_chunk(chunk: list[RawTrace], options: AnalysisOptions | None) -> list[Analysed]:
    return [analyse_item(item, options) for item in chunk]


def analyse_item(item: RawTrace, options: AnalysisOptions | None) -> Analysed:
    """Analyse one trace. Without options, only check it."""
    try:
        trace = parse(item)
    except BadTrace as fault:
        return Analysed(len(item.raw), fault=fault)
    if options is None:
        return Analysed(len(item.raw))
    found = analyze(trace, options.judge, sentence_model=options.sentence_model, base_rate=options.base_rate)
    return Analysed(len(item.raw), msgspec.json.encode(leave_out_unsure(found, options.min_confidence)))


def make_chunks(items: Iterator[RawTrace]) -> Iterator[list[RawTrace]]:
    chunk: list[RawTrace] = []
    size = 0
    for item in items:
        chunk.append(item)
        size += len(item.raw)
        if len(chunk) == CHUNK_TRACES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
