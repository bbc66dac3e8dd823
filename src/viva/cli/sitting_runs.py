"""The work of `viva sit`: it opens the hub and the agents, lets them sit, and prints the verdicts."""

import json
import os
import re
import secrets
import sys
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

import typer

from viva.adapters.model import AskedAgent
from viva.adapters.opening import open_agent
from viva.cli.options import printable
from viva.cli.sitting_hubs import find_evaluation_id, is_sip_file, open_hub_for
from viva.client.calls import in_path
from viva.client.key_files import KeyFile, default_key_file
from viva.client.retrying import HubError
from viva.config import BadSetting, configured_judges, read_judge_settings
from viva.judging.panel import Panel
from viva.sittings.accounts import HubAccount, HubConnector, RemoteHub, call
from viva.sittings.candidates import SittingCandidate
from viva.sittings.comparing import RunsPassRate, difference_of, rate_of
from viva.sittings.model import HubSilent, SittingOutcome
from viva.sittings.sitting import sit, sit_on_own_hub

MAX_AGENTS = 2
MAX_NAME_CHARACTERS = 40
MAX_DESCRIPTION_CHARACTERS = 500
STATE_WORDS = {
    "passed": "passed",
    "failed": "not passed",
    "undecided": "undecided: nobody to mark",
    "waiting": "undecided: waits for a proctor",
    "withdrawn": "not passed",
}


class SitCommand(NamedTuple):
    evaluation: str
    agents: tuple[str, ...]
    hub: str | None
    name: str | None
    runs: int
    practice: bool
    show: bool
    keep: bool
    as_json: bool


class AgentRuns(NamedTuple):
    """One agent with what each of its runs led to."""

    agent: str
    outcomes: list[SittingOutcome]

    @property
    def rate(self) -> RunsPassRate:
        return rate_of(self.outcomes)


class TerminalWatcher:
    """Tells on the standard error how far an exam is, and shows the conversation if that is wanted."""

    def __init__(self, shows: bool) -> None:
        self._shows = shows
        self._is_terminal = sys.stderr.isatty()

    def report(self, sentence: str) -> None:
        if self._is_terminal or self._shows:
            typer.echo(f"… {sentence}", err=True)

    def show(self, speaker: str, text: str) -> None:
        if self._shows:
            lines = "\n".join(f"    {printable(line)}" for line in text.splitlines())
            typer.echo(f"{printable(speaker)}:\n{lines}", err=True)


def run_sit(command: SitCommand) -> int:
    """The exit code: 0 if every run passed, else 1."""
    check(command)
    try:
        with ExitStack() as stack:
            agents = [stack.enter_context(closing(open_agent(named))) for named in command.agents]
            hub = stack.enter_context(open_hub_for(command.evaluation, command.hub, command.keep))
            evaluation = read_evaluation(hub, find_evaluation_id(command.evaluation))
            runs = [AgentRuns(named, []) for named in command.agents]
            try:
                sit_all(command, hub, agents, evaluation, runs)
            finally:  # an error in a later run takes nothing away from the earlier ones
                if any(each.outcomes for each in runs):
                    print_runs(command, evaluation, runs, hub.url if command.hub or command.keep else None)
    except HubError as error:
        raise BadSetting(f"The hub refuses: {error.detail}") from None
    return 0 if all(outcome.state == "passed" for each in runs for outcome in each.outcomes) else 1


def sit_all(
    command: SitCommand,
    hub: HubConnector,
    agents: list[AskedAgent],
    evaluation: dict[str, Any],
    runs: list[AgentRuns],
) -> None:
    for number in range(1, command.runs + 1):
        for agent, agent_runs in zip(agents, runs, strict=True):
            agent_runs.outcomes.append(sit_once(command, hub, agent, evaluation, number))


def check(command: SitCommand) -> None:
    if len(command.agents) > MAX_AGENTS:
        raise BadSetting(f"--agent can be given once or twice, not {len(command.agents)} times.")
    if is_sip_file(command.evaluation) and (command.keep or command.hub):
        raise BadSetting("A SIP file is sat on a hub of its own: leave out --hub and --keep.")
    if command.keep and command.hub:
        raise BadSetting("--keep is for exams without --hub: a hub keeps its results anyway.")


def read_evaluation(hub: HubConnector, evaluation_id: str) -> dict[str, Any]:
    with hub.client() as client:
        found: dict[str, Any] = call(client, "GET", f"/evaluations/{in_path(evaluation_id)}")["evaluation"]
        return found


def sit_once(
    command: SitCommand, hub: HubConnector, agent: AskedAgent, evaluation: dict[str, Any], number: int
) -> SittingOutcome:
    watcher = TerminalWatcher(command.show)
    if command.runs > 1:
        watcher.report(f"{agent.name}: run {number} of {command.runs}")
    with closing(open_account(command, hub, agent, number)) as account:
        if command.hub:
            candidate = SittingCandidate(account, agent, evaluation, watcher, command.practice, has_proctors=True)
            return sit_on_named_hub(candidate)
        panel = Panel(configured_judges(read_judge_settings(os.environ)))
        return sit_on_own_hub(hub, account, agent, evaluation, panel, watcher, command.practice, keys_of(command))


def sit_on_named_hub(candidate: SittingCandidate) -> SittingOutcome:
    try:
        return sit(candidate)
    except HubSilent as error:
        raise HubSilent(f"{error}. Run the command again once it answers: an attempt that has begun goes on.") from None


def open_account(command: SitCommand, hub: HubConnector, agent: AskedAgent, number: int) -> HubAccount:
    """On a named hub the account of VIVA_KEY, or that of the name. On an own hub each run has an account of its own,

    so that no limit of tries holds."""
    description = f"Sits with `viva sit`, as {agent.name}"[:MAX_DESCRIPTION_CHARACTERS]
    if isinstance(hub, RemoteHub):
        return open_kept_account(hub, command.name or slug_of(agent.name), description)
    name = command.name or f"{slug_of(agent.name)}-{secrets.token_hex(3)}"
    return HubAccount.make(hub, name if number == 1 else f"{name}-{number}", description, keys_of(command))


def keys_of(command: SitCommand) -> KeyFile | None:
    """The user's file of keys, where accounts with a name of the user's choice are kept; None for those of one run."""
    return default_key_file() if command.keep and command.name else None


def open_kept_account(hub: RemoteHub, name: str, description: str) -> HubAccount:
    key = os.environ.get("VIVA_KEY")
    if key:
        return HubAccount.open(hub, key)
    return HubAccount.register_or_load(hub, name, description, default_key_file())


def slug_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[-MAX_NAME_CHARACTERS:].strip("-") or "agent"


def print_runs(
    command: SitCommand, evaluation: dict[str, Any], runs: list[AgentRuns], address: str | None = None
) -> None:
    """Print every verdict. `address` is that of a hub which keeps them."""
    difference = difference_of(*(each.rate for each in runs)) if len(runs) == MAX_AGENTS else None
    if command.as_json:
        answer = {
            "evaluation": evaluation["id"],
            "evaluation_version": evaluation["version"],
            "agents": [json_of(each) for each in runs],
            "difference": difference and {"percentage_points": difference.points, "p": difference.p},
        }
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    for each in runs:
        for outcome in each.outcomes:
            typer.echo("\n".join(printable(line) for line in lines_of(each.agent, evaluation, outcome, address)))
        if len(each.outcomes) > 1:
            typer.echo(printable(f"{each.agent}: {each.rate.sentence}"))
    if difference:
        typer.echo(difference.sentence)


def json_of(runs: AgentRuns) -> dict[str, Any]:
    rate = runs.rate
    return {
        "agent": runs.agent,
        "runs": [outcome._asdict() for outcome in runs.outcomes],
        "passed": rate.passed,
        "decided": rate.decided,
        "interval": rate.interval and list(rate.interval),
    }


def lines_of(agent: str, evaluation: dict[str, Any], outcome: SittingOutcome, address: str | None) -> list[str]:
    score = "" if outcome.score is None else f", {outcome.score:g} of {outcome.max_score:g} points"
    practice = " (practice)" if outcome.is_official is False else ""
    verdict = f"{evaluation['name']} {evaluation['version']}: {STATE_WORDS[outcome.state]}{score}{practice}. {agent}"
    link = [f"See {address}/evaluations/result/{in_path(outcome.result_id)}"] if address and outcome.result_id else []
    return [verdict, *(f"  {line}" for line in [*outcome.reasons, *link])]
