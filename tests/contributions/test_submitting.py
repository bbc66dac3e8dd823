"""Submitting and reviewing: who may, in which state, and who wins if two decide at once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from tests import make
from tests.contributions.proposals import by_agent, by_mail, proposal
from viva.agents.access import MaintainersOnly
from viva.agents.model import Agent
from viva.contributions import bounds, drafting, limiting, ownership, reviewing, store, submitting, validating
from viva.contributions.drafting import NewDraft
from viva.contributions.model import TRANSITIONS, Contribution, ContributionStatus, Proposal, WrongState
from viva.contributions.moderation import Unsuitable
from viva.contributions.ownership import Editor
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.kit.events import list_events


@pytest.fixture
def ada(db: Connection) -> Agent:
    return make.agent(db, "ada")


@pytest.fixture
def paul(db: Connection) -> Agent:
    return maintainer(db)


@pytest.fixture
def draft(db: Connection, ada: Agent) -> NewDraft:
    return drafting.create(db, make.HALL, proposal(), by_agent(ada))


@pytest.fixture
def submitted(db: Connection, ada: Agent, draft: NewDraft) -> Contribution:
    return submit(db, draft, ada).contribution


def maintainer(db: Connection, name: str = "paul") -> Agent:
    return structs.replace(make.agent(db, name), is_maintainer=True)


def editor_of(db: Connection, contribution_id: str, agent: Agent) -> Editor:
    return ownership.find_editor(db, contribution_id, agent)


def submit(db: Connection, draft: NewDraft, agent: Agent) -> submitting.Submission:
    return submitting.submit(db, make.HALL, editor_of(db, draft.contribution.id, agent), draft.contribution.id)


def test_submission_creates_contribution_record(db, ada, draft):
    submission = submit(db, draft, ada)

    kept = store.get(db, draft.contribution.id)
    assert submission.validation.is_valid
    assert (kept.status, kept.submissions, kept.contributor_id) == ("submitted", 1, ada.id)
    assert kept.submitted_at is not None
    assert store.find_validation(db, kept.id) == submission.validation
    assert [event.action for event in list_events(db, 10, None).items][:2] == [
        "contribution.submitted",
        "contribution.created",
    ]


def test_validation_catches_all_required_errors(db, ada):
    made = drafting.create(db, make.HALL, Proposal(type="agent_certification"), by_agent(ada))

    submission = submit(db, made, ada)

    missing = {error.field for error in submission.validation.errors if error.code == "MISSING_FIELD"}
    assert missing >= {
        "name",
        "description",
        "module",
        "department",
        "config.prompts",
        "config.rubric",
        "config.passingScore",
        "executable_handler",
        "research_basis",
        "exemplars",
    }
    assert submission.contribution.status == "draft"
    assert store.find_validation(db, made.contribution.id) == submission.validation


def test_form_validation_works_correctly(db):
    config = structs.asdict(proposal())["config"]
    rubric = [row | {"weight": 40} for row in config["rubric"]]

    valid = validating.validate_proposal(db, proposal(author="Mia"))
    invalid = validating.validate_proposal(db, proposal(config=config | {"rubric": rubric}, department=None))

    assert valid.is_valid
    assert valid.errors == []
    assert ("config.rubric", "RUBRIC_SUM_NOT_100") in [(each.field, each.code) for each in invalid.errors]
    assert ("department", "MISSING_FIELD") in [(each.field, each.code) for each in invalid.errors]


def test_code_that_is_no_python_is_an_error_beside_the_code(db):
    found = validating.validate_proposal(
        db, proposal(type="simple_pass_fail", executable_handler="shout", executable_code="def decide(:")
    )

    assert "executable_code" in [each.field for each in found.errors]
    assert "UNKNOWN_HANDLER" not in [each.code for each in found.errors]


def test_a_document_that_could_not_be_read_again_is_an_error(db):
    nested: Any = "x" * 50
    for level in range(19):
        nested = [nested] * (2 if level < 14 else 1)

    found = validating.validate_proposal(db, proposal(author="Mia", config={"many": nested} | proposal().config))

    assert ("config", "TOO_LARGE") in [(each.field, each.code) for each in found.errors]


def test_admin_can_review_submissions(db, ada, paul, submitted):
    queue = reviewing.list_queue(db)

    review = reviewing.open_review(db, submitted.id, paul)

    assert [each.id for each in queue.contributions] == [submitted.id]
    assert (review.contribution.status, review.contribution.reviewed_by) == ("under_review", paul.id)
    assert review.validation is not None
    assert (review.validation.is_valid, review.last_submission) == (True, None)
    assert review.gate is not None
    assert review.gate.status == "running"
    assert reviewing.open_review(db, submitted.id, maintainer(db, "pia")).contribution.reviewed_by == paul.id


def test_only_maintainers_review(db, ada, submitted):
    for act in (
        lambda: reviewing.open_review(db, submitted.id, ada),
        lambda: reviewing.request_changes(db, submitted.id, ada, "No."),
        lambda: reviewing.reject(db, submitted.id, ada, "No."),
    ):
        with pytest.raises(MaintainersOnly):
            act()

    assert store.get(db, submitted.id).status == "submitted"


def test_changes_are_requested_and_the_next_review_shows_what_changed(db, ada, paul, draft, submitted):
    reviewing.open_review(db, submitted.id, paul)

    returned = reviewing.request_changes(db, submitted.id, paul, "Please use another name.")

    assert (returned.status, returned.review_notes) == ("draft", "Please use another name.")
    drafting.update(db, editor_of(db, returned.id, ada), returned.id, proposal(name="Gentle refusals"), None)
    again = submit(db, draft, ada).contribution
    review = reviewing.open_review(db, again.id, paul)
    assert again.submissions == 2
    assert review.last_submission is not None
    assert (review.last_submission.name, review.contribution.name) == ("Kind refusals", "Gentle refusals")


def test_a_rejected_contribution_is_final(db, ada, paul, draft, submitted):
    rejected = reviewing.reject(db, submitted.id, paul, "We have this already.")

    assert (rejected.status, rejected.rejection_reason) == ("rejected", "We have this already.")
    with pytest.raises(WrongState):
        submit(db, draft, ada)
    for target in ("approved", "under_review", "draft", "merged"):
        with pytest.raises(WrongState):
            store.move_to(db, rejected, target)
    with pytest.raises(WrongState):
        reviewing.comment(db, rejected.id, editor_of(db, rejected.id, ada), "But why?")


@pytest.mark.parametrize("status", ["draft", "approved", "rejected", "merged"])
def test_only_a_submission_is_decided(db, paul, status):
    contribution = in_state(db, status)

    with pytest.raises(WrongState):
        reviewing.reject(db, contribution.id, paul, "No.")
    with pytest.raises(WrongState):
        reviewing.request_changes(db, contribution.id, paul, "Please.")

    assert reviewing.open_review(db, contribution.id, paul).contribution.status == status


def in_state(db: Connection, status: ContributionStatus) -> Contribution:
    contribution = drafting.create(db, make.HALL, proposal(), by_mail()).contribution
    changes: dict[str, Any] = {"status": status}
    if status != "draft":
        changes |= {"submitted_at": now(), "rejection_reason": "No."}
    if status in ("approved", "merged"):
        changes |= {"sip_number": 100, "merged_at": now() if status == "merged" else None}
    return store.change(db, contribution.id, **changes)


@pytest.mark.parametrize("status", ["submitted", "under_review", "approved", "rejected", "merged"])
def test_only_a_draft_is_edited_or_deleted(db, status):
    contribution = in_state(db, status)
    editor = Editor(contribution, "contributor", None, "Mia")

    with pytest.raises(WrongState):
        drafting.update(db, editor, contribution.id, proposal(name="Later"), None)
    with pytest.raises(WrongState):
        drafting.delete(db, editor, contribution.id)

    assert store.get(db, contribution.id) == contribution


@pytest.mark.parametrize("status", TRANSITIONS)
@pytest.mark.parametrize("target", TRANSITIONS)
def test_a_state_changes_only_as_the_table_says(db, status, target):
    contribution = in_state(db, status)
    changes = {
        "submitted_at": now(),
        "rejection_reason": "No.",
        "sip_number": 100 if target in ("approved", "merged") else None,
        "merged_at": now() if target == "merged" else None,
    }

    try:
        moved = store.move_to(db, contribution, target, **changes).status
    except WrongState:
        moved = status

    assert moved == (target if target in TRANSITIONS[status] else status)


def test_of_two_parallel_decisions_one_wins(database):
    def prepare(db: Connection) -> tuple[Contribution, Agent]:
        ada = make.agent(db, "ada")
        made = drafting.create(db, make.HALL, proposal(), by_agent(ada))
        return submit(db, made, ada).contribution, maintainer(db)

    contribution, paul = database.write_now(prepare)

    outcomes = make.together(
        lambda: database.write_now(lambda db: reviewing.reject(db, contribution.id, paul, "No.")),
        lambda: database.write_now(lambda db: reviewing.request_changes(db, contribution.id, paul, "Please.")),
    )

    winner = next(outcome for outcome in outcomes if isinstance(outcome, Contribution))
    assert sorted(isinstance(outcome, WrongState) for outcome in outcomes) == [False, True]
    assert database.read_now(lambda db: store.get(db, contribution.id)) == winner


def test_what_is_submitted_is_what_was_validated(db, ada, draft):
    read_before = editor_of(db, draft.contribution.id, ada)
    drafting.update(db, read_before, draft.contribution.id, proposal(name=""), 1)

    submission = submitting.submit(db, make.HALL, read_before, draft.contribution.id)

    assert (submission.validation.is_valid, submission.contribution.revision) == (False, 2)


def test_of_two_parallel_submissions_one_is_counted(database):
    ada = database.write_now(lambda db: make.agent(db, "ada"))
    made = database.write_now(lambda db: drafting.create(db, make.HALL, proposal(), by_agent(ada)))

    outcomes = make.together(*[lambda: database.write_now(lambda db: submit(db, made, ada))] * 2)

    assert sorted(isinstance(outcome, WrongState) for outcome in outcomes) == [False, True]
    assert database.read_now(lambda db: store.get(db, made.contribution.id)).submissions == 1


def test_the_queue_is_filtered_and_never_shows_a_draft(db, ada, paul, draft, submitted):
    drafting.create(db, make.HALL, proposal(), by_agent(ada))
    other = drafting.create(db, make.HALL, proposal(), by_agent(make.agent(db, "Nora Nye"))).contribution
    submitting.submit(db, make.HALL, Editor(other, "contributor", other.contributor_id, "Nora Nye"), other.id)
    reviewing.open_review(db, other.id, paul)

    def ids(**filters: Any) -> list[str]:
        return [each.id for each in reviewing.list_queue(db, **filters).contributions]

    assert ids() == [submitted.id, other.id]
    assert ids(status="under_review") == [other.id]
    assert ids(status="draft") == []
    assert ids(contributor="nora") == [other.id]
    assert ids(contributor=ada.id) == [submitted.id]
    assert ids(since=now()) == []
    assert ids(until=now()) == [submitted.id, other.id]
    assert ids(limit=1, offset=1) == [other.id]
    assert reviewing.list_queue(db, limit=1).total == 2


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_utc_cannot_express_is_refused(db, text):
    with pytest.raises(Invalid):
        reviewing.list_queue(db, since=datetime.fromisoformat(text))


def test_a_time_without_a_zone_is_utc(db, submitted):
    before, after = (now() + timedelta(minutes=minutes) for minutes in (-1, 1))

    found = reviewing.list_queue(db, since=before.replace(tzinfo=None), until=after.replace(tzinfo=None))

    assert found.total == 1


def test_contributor_and_maintainer_comment_on_fields(db, ada, paul, submitted):
    reviewing.comment(db, submitted.id, editor_of(db, submitted.id, paul), "Which room?", "config.prompts[0].messages")
    reviewing.comment(db, submitted.id, editor_of(db, submitted.id, ada), "Any room.")

    comments = reviewing.open_review(db, submitted.id, paul).comments
    assert [(each.author_name, each.field, each.text) for each in comments] == [
        ("ada", None, "Any room."),
        ("paul", "config.prompts[0].messages", "Which room?"),
    ]


@pytest.mark.parametrize(
    ("text", "field", "error"),
    [
        ("  ", None, Invalid),
        ("x" * 5_001, None, Invalid),
        ("Fine.", "token_hash", Invalid),
        ("This is bullshit.", None, Unsuitable),
        ("<script>alert(1)</script>", None, Unsuitable),
    ],
)
def test_a_comment_that_cannot_be_shown_is_refused(db, paul, submitted, text, field, error):
    with pytest.raises(error):
        reviewing.comment(db, submitted.id, editor_of(db, submitted.id, paul), text, field)


def test_comments_of_a_day_are_limited(db, paul, submitted, monkeypatch):
    monkeypatch.setattr(limiting, "MAX_COMMENTS_PER_DAY", 1)
    author = editor_of(db, submitted.id, paul)
    reviewing.comment(db, submitted.id, author, "First.")

    with pytest.raises(limiting.TooManyComments) as refused:
        reviewing.comment(db, submitted.id, author, "Second.")

    assert 0 < (refused.value.retry_after or 0) <= 24 * 3600


def test_another_name_is_no_way_around_the_limit_of_comments(db, submitted, monkeypatch):
    """Whoever has the link of an invitation chooses a name, and can do so again."""
    monkeypatch.setattr(limiting, "MAX_COMMENTS_PER_DAY", 1)
    reviewing.comment(db, submitted.id, Editor(submitted, "collaborator", None, "Pia"), "First.")

    with pytest.raises(limiting.TooManyComments):
        reviewing.comment(db, submitted.id, Editor(submitted, "collaborator", None, "Otto"), "Second.")


@pytest.mark.parametrize("text", ["", "x" * (bounds.MAX_REASON_CHARACTERS + 1)])
def test_a_decision_has_a_reason(db, paul, submitted, text):
    with pytest.raises(Invalid):
        reviewing.reject(db, submitted.id, paul, text)
    with pytest.raises(Invalid):
        reviewing.request_changes(db, submitted.id, paul, text)
