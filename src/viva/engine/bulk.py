"""Analysing files of traces on all cores, in their order, in memory that does not grow with their number."""

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

from viva.engine.analysis import Analysed
from viva.engine.analyze import analyze
from viva.engine.cluster import Cluster
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import RawTrace, parse, read_traces
from viva.judging.model import Judge

CHUNK_TRACES = 16  # traces handed to a process at once: few enough that none waits long for the last
CHUNK_BYTES = 1 << 20
CHUNKS_AHEAD = 4  # chunks for each process that are read before they are waited for
CHUNKS_WITH_JUDGE = 4  # chunks under way while a judge is asked, which is waiting and not work


class AnalysisOptions(NamedTuple):
    """What holds for every trace of a run."""

    judge: Judge | None = None
    sentence_model: bool = True


DEFAULT = AnalysisOptions()


def analyze_files(
    paths: Iterable[str | Path], jobs: int = 1, options: AnalysisOptions = DEFAULT, cluster: Cluster | None = None
) -> Iterator[Analysed]:
    """Every trace of the files, analysed, in their order, whatever the number of jobs.

    Once a trace is at fault nothing more is analysed, but the rest is still checked, so that every fault is told.
    """
    chunks = make_chunks(chain.from_iterable(map(read_traces, paths)))
    first = list(islice(chunks, 2))
    pool, ahead = executor(jobs, options, cluster) if len(first) > 1 else (None, 1)
    if pool is None:
        yield from one_by_one(chain(first, chunks), options)
        return
    with pool:
        yield from side_by_side(pool, ahead, chain(first, chunks), options)


def executor(jobs: int, options: AnalysisOptions, cluster: Cluster | None) -> tuple[Executor | None, int]:
    """Where many traces are analysed, and how many chunks are under way there; None is here, one after the other."""
    if options.judge is not None:
        return ThreadPoolExecutor(CHUNKS_WITH_JUDGE), CHUNKS_WITH_JUDGE  # threads, so that the judge's budget is one
    if cluster is not None:
        return cluster, cluster.cores * CHUNKS_AHEAD
    return (
        (ProcessPoolExecutor(jobs, initializer=end_with, initargs=(os.getpid(),)), jobs * CHUNKS_AHEAD)
        if jobs > 1
        else (None, 1)
    )


def end_with(parent: int) -> None:
    """Let this process end when the one that started it is gone, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def one_by_one(chunks: Iterator[list[RawTrace]], options: AnalysisOptions | None) -> Iterator[Analysed]:
    for item in chain.from_iterable(chunks):
        done = analyse_item(item, options)
        options = None if done.fault else options
        yield done


def side_by_side(
    pool: Executor, ahead: int, chunks: Iterator[list[RawTrace]], options: AnalysisOptions | None
) -> Iterator[Analysed]:
    waiting: deque[Future[list[Analysed]]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(analysed_chunk, chunk, options))
        if len(waiting) >= ahead:
            done = waiting.popleft().result()
            options = None if any(one.fault for one in done) else options
            yield from done
    while waiting:
        yield from waiting.popleft().result()


def analysed_chunk(chunk: list[RawTrace], options: AnalysisOptions | None) -> list[Analysed]:
    return [analyse_item(item, options) for item in chunk]


def analyse_item(item: RawTrace, options: AnalysisOptions | None) -> Analysed:
    """One trace analysed; without options only checked."""
    try:
        trace = parse(item)
    except BadTrace as fault:
        return Analysed(len(item.raw), fault=fault)
    if options is None:
        return Analysed(len(item.raw))
    found = analyze(trace, options.judge, sentence_model=options.sentence_model)
    return Analysed(len(item.raw), msgspec.json.encode(found))


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
