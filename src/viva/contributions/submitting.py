"""Submitting a draft for review: it is validated, and without errors it becomes a submission."""

from typing import NamedTuple

from viva.contributions import gaming, limiting, revisions, store, validating
from viva.contributions.announcing import announce
from viva.contributions.model import Contribution, Validation, check_transition
from viva.contributions.ownership import Editor
from viva.exams.model import HubFacts
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection


class Submission(NamedTuple):
    """With errors in its validation, the contribution is still a draft."""

    contribution: Contribution
    validation: Validation


def submit(db: Connection, hub: HubFacts, editor: Editor, contribution_id: str) -> Submission:
    """Submit the draft. The validation is kept in any case."""
    editor.check_may_change()
    draft = store.hold(db, contribution_id)
    check_transition(draft, "submitted")
    limiting.count_validation(db, hub, draft)
    validation = validating.validate(db, draft)
    if not validation.is_valid:
        return Submission(draft, validation)
    limiting.count_submission(db, hub, draft)

    return Submission(put_into_queue(db, draft), validation)


def put_into_queue(db: Connection, draft: Contribution) -> Contribution:
    """Make the draft a submission, start its gate, and tell those concerned."""
    submitted = store.move_to(db, draft, "submitted", submitted_at=now(), submissions=draft.submissions + 1)
    revisions.mark_submitted(db, submitted)
    gaming.put_gate(db, submitted)
    events.record(db, "contribution.submitted", "contribution", submitted.id, revision=submitted.revision)
    announce(db, "submitted", submitted)
    return submitted
