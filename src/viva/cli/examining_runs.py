"""The work of `viva examine`: it claims who waits, one after the other, and lets a script or an agent examine."""

import json
import os
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

import typer

from viva.adapters.model import NoAgentNamed
from viva.adapters.opening import open_agent
from viva.cli.options import printable
from viva.cli.sitting_hubs import find_hub
from viva.cli.sitting_runs import MAX_DESCRIPTION_CHARACTERS, TerminalWatcher, open_kept_account, slug_of
from viva.client.client import DEFAULT_HUB
from viva.client.retrying import HubError
from viva.config import BadSetting, configured_judges, read_judge_settings
from viva.judging.panel import Panel
from viva.sittings.accounts import HubAccount
from viva.sittings.agent_examiner import AgentExaminer
from viva.sittings.examining import Examiner, ExamReport, claim_next, examine
from viva.sittings.interrupted_exams import InterruptedExams
from viva.sittings.model import HubSilent
from viva.sittings.pausing import Pauses
from viva.sittings.script_examiner import ScriptExaminer

SCRIPT = "script"
TOO_MANY_CLAIMS = "too_many_claims"  # a code of the hub; interrupted exams are claims, too


class ExamineCommand(NamedTuple):
    evaluation: str
    proctor: str
    hub: str | None
    once: bool
    name: str | None
    show: bool
    as_json: bool


def run_examine(command: ExamineCommand) -> int:
    """The exit code: 0 if every candidate got a verdict, 1 if one was left to people."""
    watcher = TerminalWatcher(command.show)
    left: set[str] = set()  # registrations without a verdict; others examine them
    try:
        with ExitStack() as stack:
            examiner = open_examiner(command, stack)
            account = stack.enter_context(closing(open_proctor(command)))
            interrupted = InterruptedExams(account, command.evaluation)
            waiting = Pauses()
            watcher.report("Waiting for a candidate")
            for _ in waiting:
                claim = find_claim(command, account, interrupted, left, watcher)
                if claim is None:
                    continue
                waiting.shorten()
                keeps_claim = command.once and bool(os.environ.get("VIVA_KEY"))  # somebody can sign in to this account
                report = examine(account, command.evaluation, claim, examiner, watcher, keeps_claim=keeps_claim)
                print_report(command, report, account.hub_url if keeps_claim else None)
                if report.is_interrupted and not command.once:
                    interrupted.add(report.registration_id)
                elif report.result is None:
                    left.add(report.registration_id)
                if command.once:
                    break
    except HubError as error:
        raise BadSetting(f"The hub refuses: {error.detail}") from None
    except KeyboardInterrupt:
        watcher.report("No further candidate is claimed")
    return 1 if left else 0


def find_claim(
    command: ExamineCommand,
    account: HubAccount,
    interrupted: InterruptedExams,
    left: set[str],
    watcher: TerminalWatcher,
) -> dict[str, Any] | None:
    """An exam to go on with, or the next claim. A command that goes on outlasts a hub that is away."""
    try:
        return interrupted.find_claim() or claim_next(account, command.evaluation, left)
    except (HubSilent, HubError) as error:
        if command.once or (isinstance(error, HubError) and error.code != TOO_MANY_CLAIMS):
            raise
        watcher.report(str(error))
        return None


def open_examiner(command: ExamineCommand, stack: ExitStack) -> Examiner:
    if command.proctor == SCRIPT:
        return ScriptExaminer(Panel(configured_judges(read_judge_settings(os.environ))))
    try:
        agent = open_agent(command.proctor)
    except NoAgentNamed as fault:
        raise NoAgentNamed(f"{fault} Or name {SCRIPT}, and the evaluation's own script examines.") from None
    return AgentExaminer(stack.enter_context(closing(agent)))


def open_proctor(command: ExamineCommand) -> HubAccount:
    hub = find_hub(command.hub or os.environ.get("VIVA_HUB") or DEFAULT_HUB)
    description = f"Examines with `viva examine`, as {command.proctor}"[:MAX_DESCRIPTION_CHARACTERS]
    return open_kept_account(hub, command.name or f"proctor-{slug_of(command.proctor)}", description)


def print_report(command: ExamineCommand, report: ExamReport, hub_url: str | None) -> None:
    """What became of the candidate. `hub_url` is that of a hub where whoever runs this can decide."""
    if command.as_json:
        typer.echo(json.dumps(report._asdict(), ensure_ascii=False))
        return
    if report.result is not None:
        end = "passed" if report.result["passed"] else "did not pass"
    elif report.is_held and hub_url:
        end = f"has no verdict yet. Decide at {hub_url}/sessions/{report.session_id} before the claim lapses"
    elif report.is_interrupted:
        end = "has no verdict. The exam was interrupted"
    else:
        end = "has no verdict, and waits for another proctor"
    marks = [f"{each['id']}: {each['mark']:g} of {each['max']:g}. {each['reason']}" for each in report.marks]
    lines = [
        f"{report.candidate_name} {end}. Session {report.session_id}",
        *(f"  {each}" for each in [*marks, *report.reasons]),
    ]
    typer.echo("\n".join(printable(line) for line in lines))
