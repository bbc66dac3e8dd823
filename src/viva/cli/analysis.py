"""Commands for recorded runs of agents: score them here, or send them to a hub."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import JsonOption


class ReportFormat(StrEnum):
    """The format of an analysis report."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    html = "html"
    junit = "junit"


class Engine(StrEnum):
    """Where traces are analysed."""

    local = "local"
    ray = "ray"


def analyze_files(
    files: Annotated[list[str], typer.Argument(metavar="FILE", hidden=True)],
    out: Annotated[
        Path | None, typer.Option("-o", metavar="OUT", help="Write to this file; its ending sets the format.")
    ] = None,
    format_: Annotated[
        ReportFormat | None,
        typer.Option("--format", metavar="FORMAT", help="table, json, jsonl, html or junit; table if not given."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the evidence for every score.")] = False,
    fail_under: Annotated[
        float | None, typer.Option(metavar="SCORE", min=0, max=1, help="Exit with code 100 if a trace scores less.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Number of processes; one for each core if not given."),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(metavar="ENGINE", help="local: on this machine; ray: on a Ray cluster (RAY_ADDRESS).")
    ] = Engine.local,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask the judge of VIVA_JUDGE_URL about turns without other signals.")
    ] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="Compare texts without the sentence model: faster, and less exact.")
    ] = False,
    base_rate: Annotated[
        float | None,
        typer.Option(metavar="SHARE", min=0.001, max=0.999, help="Share of bad answers to expect; 0.12 if not given."),
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(metavar="X", min=0, max=1, help="Leave out findings with less confidence.")
    ] = 0.0,
) -> None:
    """Score recorded runs of agents.

    FILE holds traces in any supported format; - is standard input. The report shows bad turns, wrong tool use, weak
    handoffs, drift, the decisive mistake, and recommendations.
    """
    from viva.analyzing import AnalyzeCommand, run

    command = AnalyzeCommand(
        files=files,
        out=out,
        format=format_ and format_.value,
        explain=explain,
        fail_under=fail_under,
        jobs=jobs,
        engine=engine.value,
        judge=judge,
        fast=fast,
        base_rate=base_rate,
        min_confidence=min_confidence,
    )
    raise typer.Exit(run(command))


def send(
    path: Annotated[Path, typer.Argument(metavar="PATH", hidden=True)],
    hub: Annotated[str | None, typer.Option("--hub", metavar="URL", help="The hub; VIVA_HUB if not given.")] = None,
    dataset: Annotated[str | None, typer.Option(metavar="NAME", help="The dataset that the runs belong to.")] = None,
    tags: Annotated[str, typer.Option(metavar="TAGS", help="Tags of the runs, with commas between them.")] = "",
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The account to use, if VIVA_KEY has no key.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Compare texts without the sentence model: faster, and less exact.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Send recorded runs to a hub.

    PATH is a file of runs, or a folder with such files, in any form that Viva reads. The hub stores and analyses them. Each
    fault is printed with its file, and the other runs are sent. Run it again after a break or with new files: nothing is
    stored twice. The exit code is 0, 1 if the hub cannot be used, and 2 if a run cannot be read.
    """
    from viva.cli.sending_runs import SendCommand, run_send
    from viva.traces.model import split_tags

    raise typer.Exit(run_send(SendCommand(path, hub, dataset, split_tags(tags), name, fast, as_json)))
