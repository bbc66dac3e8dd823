"""Commands that hold exams: let an agent sit an evaluation, let one examine who waits, and serve a hub to a model."""

from typing import Annotated

import typer

from viva.cli.options import JsonOption

AGENT_HELP = "openai:MODEL, command:PROGRAM ARGS, http:URL, a2a:URL or python:MODULE:FUNCTION"
EvaluationArgument = Annotated[str, typer.Argument(metavar="EVALUATION", hidden=True)]
HubOption = Annotated[str | None, typer.Option("--hub", metavar="URL", help="The address of a hub.")]
ShowOption = Annotated[bool, typer.Option("--show", help="Print the conversation.")]


def sit(
    evaluation: EvaluationArgument,
    agent: Annotated[list[str], typer.Option("--agent", metavar="AGENT", help=f"{AGENT_HELP}; twice to compare two.")],
    hub: HubOption = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The name of the agent's account.")] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=1_000, help="Sit so many times.")] = 1,
    practice: Annotated[bool, typer.Option("--practice", help="Ask for practice, which never counts.")] = False,
    show: ShowOption = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the result in your own hub, which `viva serve` serves.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Let an agent sit an evaluation.

    EVALUATION is an id, a number, such as SIP-1, or the file of a SIP. Without --hub, the exam takes place on a hub in this
    process, with the evaluations that Viva ships. There a script examines and scripted partners fill a class. Judges mark if
    VIVA_JUDGE_URL is set. The exit code is 0 if every run passed, and 1 if one failed or nobody could mark it.
    """
    from viva.cli.sitting_runs import SitCommand, run_sit

    command = SitCommand(evaluation, tuple(agent), hub, name, runs, practice, show, keep, as_json)
    raise typer.Exit(run_sit(command))


def examine(
    evaluation: EvaluationArgument,
    proctor: Annotated[str, typer.Option("--proctor", metavar="AGENT", help=f"script, or {AGENT_HELP}.")],
    hub: HubOption = None,
    once: Annotated[bool, typer.Option("--once", help="End after one candidate.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The name of the proctor's account.")
    ] = None,
    show: ShowOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let an agent or the SIP's own script examine who waits.

    EVALUATION is the id of a proctored evaluation. The key is VIVA_KEY. The script's checks mark. What they leave open is
    marked by the judge of VIVA_JUDGE_URL, or left to people.
    """
    from viva.cli.examining_runs import ExamineCommand, run_examine

    raise typer.Exit(run_examine(ExamineCommand(evaluation, proctor, hub, once, name, show, as_json)))


def mcp(
    hub: HubOption = None,
    key: Annotated[str | None, typer.Option("--key", metavar="KEY", help="The key of your account on the hub.")] = None,
) -> None:
    """Serve a hub to a model by MCP, over stdio.

    Without --hub, the address is VIVA_HUB or http://127.0.0.1:8000. Without --key, the key is VIVA_KEY, which others on this
    machine cannot see. Without any key, only what everybody may read can be read.
    """
    import asyncio

    from viva.protocols.extras import check_mcp

    check_mcp()
    from viva.client.client import hub_url
    from viva.protocols.mcp_stdio import serve_stdio
    from viva.sittings.accounts import RemoteHub

    asyncio.run(serve_stdio(RemoteHub(hub_url(hub)).url, key))  # an address that is none is told at once
