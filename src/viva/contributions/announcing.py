"""Announcing what happened to a contribution: to its contributors, its reviewer or all maintainers."""

from typing import Any, Literal, NamedTuple

from viva.agents import store as agents
from viva.contributions.model import Contribution
from viva.kit.db import Connection
from viva.notices.notifying import notify

ContributionEvent = Literal["submitted", "commented", "changes_requested", "approved", "rejected", "merged"]
CONTRIBUTION_EVENTS = {
    "contribution.submitted": "An evaluation of yours was submitted; for maintainers, one waits for review",
    "contribution.commented": "Somebody has commented on an evaluation of yours, or on one that you review",
    "contribution.changes_requested": "The maintainers ask for changes to your evaluation",
    "contribution.approved": "The maintainers have approved your evaluation",
    "contribution.rejected": "The maintainers have rejected your evaluation",
    "contribution.merged": "Your evaluation is live",
}
LINK_EVENT = "contribution.link"  # only mailed, so no webhook can ask for it
MAX_MAINTAINERS_NOTIFIED = 50  # more people than review the same queue
MAX_COLLABORATORS_NOTIFIED = 20
MAX_ANNOUNCED_NAME_CHARACTERS = 60  # names are chosen by strangers, and an e-mail must not carry their advertisements


class Announcement(NamedTuple):
    """The subject and the text for the contributors. Both may use {name}, {author} and {reason}."""

    subject: str
    text: str


ANNOUNCEMENTS: dict[ContributionEvent, Announcement] = {
    "submitted": Announcement("“{name}” was submitted", "Your evaluation waits for a review by the maintainers."),
    "commented": Announcement("New comment on “{name}”", "{author} has commented on the evaluation."),
    "changes_requested": Announcement(
        "Changes requested for “{name}”",
        "The maintainers ask for changes. It is a draft again: edit it, then submit it again.\n\n{reason}",
    ),
    "approved": Announcement("“{name}” was approved", "The maintainers have approved your evaluation.\n\n{reason}"),
    "rejected": Announcement("“{name}” was rejected", "The maintainers have rejected your evaluation.\n\n{reason}"),
    "merged": Announcement("“{name}” is live", "Your evaluation is part of the catalogue now. Agents can take it."),
}
FOR_MAINTAINERS = Announcement("“{name}” waits for review", "{author} has submitted an evaluation.")


def announce(db: Connection, event: ContributionEvent, contribution: Contribution, **data: Any) -> None:
    """Notify those concerned, in the unit in which it happens. A submission is confirmed to who made it.

    Otherwise nobody is notified of what they did themselves."""
    if event == "submitted":
        link = f"/evaluations/contribute/review/{contribution.id}"
        maintainers = set(agents.list_maintainers(db, MAX_MAINTAINERS_NOTIFIED)) - {db.actor.account_id}
        send(db, event, contribution, maintainers, FOR_MAINTAINERS, contribution.contributor_name, link, data)
    author_id, author = find_author(db, data["comment_id"]) if event == "commented" else (db.actor.account_id, "")
    people = list_contributors(db, contribution)
    if event == "commented" and contribution.reviewed_by:
        people.add(contribution.reviewed_by)
    if event == "commented" and author_id is None:  # written with the link that only contributors have
        people.discard(contribution.contributor_email or "")
    if event != "submitted":
        people.discard(author_id or "")
    send(db, event, contribution, people, ANNOUNCEMENTS[event], author, page_of(event, contribution), data)


def send(
    db: Connection,
    event: ContributionEvent,
    contribution: Contribution,
    people: set[str],
    announcement: Announcement,
    author: str,
    link: str,
    data: dict[str, Any],
) -> None:
    words = {
        "name": shorten(contribution.name or contribution.title or contribution.id),
        "author": shorten(author),
        "reason": reason_for(event, contribution),
    }
    facts = {"contribution_id": contribution.id, "status": contribution.status, "sip_number": contribution.sip_number}
    subject, text = (part.format(**words) for part in announcement)
    notify(db, f"contribution.{event}", people, subject, text, link, facts | data)


def mail_link(db: Connection, contribution: Contribution) -> None:
    """Send the link that opens a draft to a contributor without account. Whoever reads that mailbox may edit the draft.

    The token is added when the e-mail is sent (private_links), because no table may hold it."""
    if contribution.contributor_email:
        text = "This link opens your draft again. Whoever has it can change the draft, so keep it to yourself."
        link = f"/evaluations/contribute/{contribution.id}"
        notify(db, LINK_EVENT, [contribution.contributor_email], "Your draft of an evaluation", text, link)


def list_contributors(db: Connection, contribution: Contribution) -> set[str]:
    """The contributor's account, or else the e-mail address, and the accounts of collaborators."""
    rows = db.execute(
        """
        SELECT agent_id FROM evaluation_contribution_collaborators
        WHERE contribution_id = ? AND agent_id IS NOT NULL LIMIT ?
        """,
        [contribution.id, MAX_COLLABORATORS_NOTIFIED],
    )
    contributor = contribution.contributor_id or contribution.contributor_email
    return {agent_id for (agent_id,) in rows.fetchall()} | ({contributor} if contributor else set())


def find_author(db: Connection, comment_id: str) -> tuple[str | None, str]:
    sql = "SELECT author_id, author_name FROM evaluation_contribution_comments WHERE id = ?"
    row = db.execute(sql, [comment_id]).fetchone()
    return (row[0], row[1]) if row else (None, "")


def reason_for(event: ContributionEvent, contribution: Contribution) -> str:
    """What the maintainer wrote to the contributors."""
    return (contribution.rejection_reason if event == "rejected" else contribution.review_notes) or ""


def page_of(event: ContributionEvent, contribution: Contribution) -> str:
    is_live = event == "merged"
    return f"/evaluations/{contribution.evaluation_id}" if is_live else f"/evaluations/contribute/{contribution.id}"


def shorten(name: str) -> str:
    fits = len(name) <= MAX_ANNOUNCED_NAME_CHARACTERS
    return name if fits else name[: MAX_ANNOUNCED_NAME_CHARACTERS - 1] + "…"
