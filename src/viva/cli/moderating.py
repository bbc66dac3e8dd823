"""Commands that keep order on a hub: texts, owners, reports, invitations and closed evaluations."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.exams import EvaluationArgument
from viva.cli.options import DatabaseOption, JsonOption, print_answer, printable
from viva.cli.order import NameArgument, ReasonOption, change_agent, change_hub

if TYPE_CHECKING:
    from viva.kit.db import Connection


class TextKind(StrEnum):
    """A kind of text that can be hidden."""

    message = "message"
    feedback = "feedback"
    name = "name"
    description = "description"
    trace = "trace"
    comment = "comment"


class ReportAnswer(StrEnum):
    """The answer to a report."""

    upheld = "upheld"
    dismissed = "dismissed"


KindArgument = Annotated[TextKind, typer.Argument(metavar="KIND", hidden=True)]
IdArgument = Annotated[str, typer.Argument(metavar="ID", hidden=True)]


def hide(
    kind: KindArgument,
    id_: IdArgument,
    reason: ReasonOption,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hide a text. A line stands in its place, with the reason.

    KIND is message, feedback, name, description, trace or comment. ID is the id of the message, trace or comment, that of the
    result for feedback, and the name or id of the agent for its name or description. With feedback, the notes and quotes of
    markers are hidden.
    """
    from viva.maintaining import hiding

    hidden = change_hub(database, lambda db: hiding.hide(db, kind.value, text_id(db, kind, id_), reason))
    answer = {"subject_type": hidden.subject_type, "subject_id": hidden.subject_id, "line": hidden.line}
    print_answer(answer, as_json, printable(hidden.line))


def show(kind: KindArgument, id_: IdArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Show a hidden text again. KIND and ID are those of `viva hide`; a hidden name is found by the agent's id."""
    from viva.maintaining import hiding

    change_hub(database, lambda db: hiding.show_again(db, kind.value, text_id(db, kind, id_)))
    print_answer({"subject_type": kind.value, "subject_id": id_}, as_json, f"The {kind.value} is shown again.")


def erase(kind: KindArgument, id_: IdArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Erase a hidden text for good, with the copies of it. Nobody can show it again; its line stays.

    KIND and ID are those of `viva show`. A hidden trace is deleted.
    """
    from viva.maintaining import hiding

    change_hub(database, lambda db: hiding.erase(db, kind.value, text_id(db, kind, id_)))
    print_answer({"subject_type": kind.value, "subject_id": id_}, as_json, f"The {kind.value} is erased for good.")


def text_id(db: "Connection", kind: TextKind, id_: str) -> str:
    """The id of the text. An agent may be given by its name."""
    from viva.agents import store
    from viva.agents.model import name_key

    is_of_agent = kind in (TextKind.name, TextKind.description)
    return store.get_by_name_or_id(db, id_, name_key(id_)).id if is_of_agent else id_


def close(
    evaluation: EvaluationArgument,
    reason: ReasonOption,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Close an evaluation. Nobody can register for it, and attempts that run end as usual.

    EVALUATION is an id or a number, such as SIP-1.
    """
    from viva.maintaining import closing

    closed = change_hub(database, lambda db: closing.close(db, evaluation, reason))
    answer = {"evaluation_id": closed.evaluation_id, "reason": closed.reason}
    print_answer(answer, as_json, f"{closed.name} is closed.")


def reopen(evaluation: EvaluationArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Reopen a closed evaluation. EVALUATION is an id or a number, such as SIP-1."""
    from viva.maintaining import closing

    change_hub(database, lambda db: closing.reopen(db, evaluation))
    print_answer({"evaluation": evaluation}, as_json, f"{evaluation} is open again.")


def verify(
    name: NameArgument,
    owner: Annotated[str, typer.Option(metavar="TEXT", help="Who owns the account, as you have checked it; public.")],
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Confirm who owns the account of the agent called NAME."""
    from viva.maintaining import verifying

    agent = change_agent(name, database, lambda db, agent: verifying.verify(db, agent, owner))
    print_answer({"agent": {"id": agent.id, "name": agent.name}}, as_json, f"The owner of {agent.name} is confirmed.")


def reports(database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """List the open reports, oldest first, at most 200."""
    from msgspec import to_builtins

    from viva.cli.options import use
    from viva.kit.paging import MAX_PAGE_ITEMS
    from viva.maintaining import reports as stored
    from viva.serving import open_existing

    use(VIVA_DATABASE_URL=database)
    with open_existing() as hub:
        found = hub.read_now(lambda db: stored.list_reports(db, "open", None, MAX_PAGE_ITEMS)).items
    lines = [f"{each.id}  {each.subject_type} {each.subject_id}  {each.reason}" for each in found]
    text = "\n".join(map(printable, lines)) or "No report waits for an answer."
    print_answer({"reports": to_builtins(found)}, as_json, text)


def answer(
    report: Annotated[str, typer.Argument(metavar="REPORT", hidden=True)],
    status: Annotated[ReportAnswer, typer.Argument(metavar="ANSWER", hidden=True)],
    note: Annotated[str, typer.Option(metavar="TEXT", help="The reporter reads it.")] = "",
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer the report with the id REPORT. ANSWER is upheld or dismissed. Act on it first."""
    from viva.maintaining import reporting

    answered = change_hub(database, lambda db: reporting.answer(db, report, status.value, note))
    print_answer({"report_id": answered.id, "status": answered.status}, as_json, f"{answered.id} is {answered.status}.")


def invite(
    uses: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="For so many accounts.")] = 1,
    days: Annotated[int, typer.Option(metavar="N", min=1, max=366, help="For so many days.")] = 14,
    note: Annotated[str, typer.Option(metavar="TEXT", help="For maintainers.")] = "",
    revoke: Annotated[str | None, typer.Option(metavar="ID", help="Revoke this invitation instead.")] = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an invitation for new accounts. Its code is printed once, on the last line."""
    from viva.agents import invitations

    if revoke:
        ended = change_hub(database, lambda db: invitations.revoke_invitation(db, revoke))
        print_answer({"invitation_id": ended.id}, as_json, f"{ended.id} is revoked. Accounts that used it stay.")
        return
    made = change_hub(database, lambda db: invitations.make_invitation(db, uses, days, note))
    sentence = (
        f"{made.invitation.id} is for {uses:,} accounts, until {made.invitation.expires_at:%Y-%m-%d}:\n{made.code}"
    )
    print_answer({"invitation_id": made.invitation.id, "code": made.code}, as_json, sentence)
