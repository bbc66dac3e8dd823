"""Routes of contributions: draft, change, validate, submit and fork a proposed evaluation."""

import re
from datetime import datetime
from typing import Any, Literal

from litestar import Router
from msgspec import UNSET, Struct, UnsetType, structs

from viva.api.json import JsonResponse, encode
from viva.api.paging import LimitParameter, OffsetParameter
from viva.api.route_spec import ReadAgain, ResponseKind, RouteCall
from viva.api.routing import delete, get, post, put
from viva.context import HubContext
from viva.contributions import documents, drafting, limiting, ownership, store, submitting, validating
from viva.contributions.model import Contribution, Proposal, Validation, ValidationProblem, WrongState
from viva.contributions.ownership import ContributorOnly, Editor, NotYourDraft, Visitor
from viva.contributions.store import ContributionsPage, NoSuchContribution, StaleRevision
from viva.evaluations import numbers
from viva.evaluations.store import NoSuchEvaluation
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid, Unauthorized
from viva.kit.paging import DEFAULT_PAGE_ITEMS

DraftStatus = Literal["draft", "in_progress", "submitted", "under_review", "approved", "rejected", "merged"]
CONTRIBUTION_ID_PREFIX = "eval_contrib_"
REVISION_TAG = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')


class HasErrors(Invalid):
    """This draft has errors, so it was not submitted. The answer lists them all."""


class DraftBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """The columns of a contribution. Columns that only the hub sets are ignored, so that an answer can be sent back."""

    evaluation_id: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    module: str | UnsetType = UNSET
    department: str | UnsetType | None = UNSET
    type: str | UnsetType = UNSET
    config: dict[str, Any] | UnsetType = UNSET
    executable_handler: str | UnsetType = UNSET
    executable_script_path: str | UnsetType | None = UNSET
    executable_code: str | UnsetType | None = UNSET
    prerequisites: list[str] | UnsetType = UNSET
    research_basis: str | UnsetType | None = UNSET
    research_mapping: list[Any] | UnsetType = UNSET
    exemplars: list[Any] | UnsetType = UNSET
    points: float | UnsetType = UNSET
    version: str | UnsetType = UNSET
    author: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    contributor_name: str | None = None
    contributor_email: str | None = None
    revision: int | None = None
    updated_at: datetime | None = None
    id: Any = None
    contributor_id: Any = None
    sip_number: Any = None
    status: Any = None
    created_at: Any = None
    submitted_at: Any = None
    reviewed_at: Any = None
    reviewed_by: Any = None
    review_notes: Any = None
    rejection_reason: Any = None
    merged_at: Any = None
    merged_pr_url: Any = None
    publication_problem: Any = None
    submissions: Any = None
    is_open_to_community: Any = None
    auto_merge: Any = None
    forked_from: Any = None

    def changes(self) -> dict[str, Any]:
        """The columns of the proposal that were sent."""
        sent = {field: getattr(self, field) for field in Proposal.__struct_fields__}
        return {field: value for field, value in sent.items() if value is not UNSET}


class ForkBody(Struct, forbid_unknown_fields=True):
    """Name and e-mail address are for contributors without an account."""

    contributor_name: str | None = None
    contributor_email: str | None = None


class OneContribution(Struct):
    contribution: Contribution


class NewContribution(Struct, omit_defaults=True):
    """A new draft. Without an account you get a `token`. Send it like an API key; it is not shown again."""

    contribution: Contribution
    id: str
    token: str | None = None


class SubmittedContribution(Struct):
    """A submitted contribution, and its validation. It has no errors, but it may have warnings."""

    contribution: Contribution
    is_valid: bool
    errors: list[ValidationProblem]
    warnings: list[ValidationProblem]


class ContributionPreview(Struct):
    """The document as it would be published. The number is given at approval; until then it is a suggestion."""

    markdown: str
    sip_number: int


def view(editor: Editor, contribution: Contribution | None = None) -> OneContribution:
    """The contribution as its editor sees it. Only the contributor and maintainers see the e-mail address."""
    shown = contribution or editor.contribution
    if editor.role == "collaborator":
        shown = structs.replace(shown, contributor_email=None)
    return OneContribution(shown)


def find_editor(db: Connection, contribution_id: str, visitor: Visitor) -> Editor:
    return ownership.find_editor(db, contribution_id, visitor.agent, visitor.token)


async def respond_with_revision(call: RouteCall, answer: OneContribution) -> JsonResponse:
    tag = b'"%d"' % answer.contribution.revision
    return JsonResponse(200, *await encode(answer), headers=((b"etag", tag),))


JSON_WITH_REVISION = ResponseKind(("application/json",), respond_with_revision)


def show_new(draft: drafting.NewDraft) -> NewContribution:
    return NewContribution(draft.contribution, draft.contribution.id, draft.token)


def read_new(db: Connection, reference: str) -> NewContribution:
    contribution_id, _, token = reference.partition(" ")
    return NewContribution(store.get(db, contribution_id), contribution_id, token or None)


def read_submitted(db: Connection, visitor: Visitor, contribution_id: str, reference: str) -> SubmittedContribution:
    return show_submitted(find_editor(db, contribution_id, visitor), read_validation(db, contribution_id))


def show_submitted(editor: Editor, validation: Validation) -> SubmittedContribution:
    shown = view(editor).contribution
    return SubmittedContribution(shown, validation.is_valid, validation.errors, validation.warnings)


def read_validation(db: Connection, contribution_id: str) -> Validation:
    return store.find_validation(db, contribution_id) or Validation(True, [], [])


READ_NEW_AGAIN = ReadAgain(lambda answer: f"{answer.id} {answer.token or ''}", read_new)
READ_EDITED_AGAIN = ReadAgain(
    lambda answer: "",
    lambda db, visitor, contribution_id, reference: view(find_editor(db, contribution_id, visitor)),
)
DRAFT_ERRORS = (NoSuchContribution, NotYourDraft, WrongState)


@post("", limiting.TooManyDrafts, read_again=READ_NEW_AGAIN)
def create_contribution(db: Connection, visitor: Visitor, hub: HubContext, data: DraftBody) -> NewContribution:
    """Begin a draft. Without an API key, give `contributor_name` and `contributor_email`; you get a token."""
    contributor = ownership.read_contributor(visitor.agent, data.contributor_name, data.contributor_email)
    return show_new(drafting.create(db, hub, Proposal(**data.changes()), contributor))


@get("/drafts", Unauthorized)
def list_drafts(
    db: Connection,
    visitor: Visitor,
    status: DraftStatus | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    offset: OffsetParameter = 0,
) -> ContributionsPage:
    """List your contributions, last changed first. With a token, this is the contribution that it opens."""
    if visitor == Visitor():
        raise Unauthorized()
    return drafting.list_drafts(db, visitor, status, limit, offset)


@get("/{contribution_id:str}", NoSuchContribution, response=JSON_WITH_REVISION)
def show_contribution(db: Connection, visitor: Visitor, contribution_id: str) -> OneContribution:
    """Show a contribution to its contributors and to maintainers."""
    return view(find_editor(db, contribution_id, visitor))


@put("/{contribution_id:str}", *DRAFT_ERRORS, StaleRevision)
def change_contribution(
    db: Connection, visitor: Visitor, contribution_id: str, data: DraftBody, if_match: str | None = None
) -> OneContribution:
    """Change a draft, all of it or some columns. With the `revision` that you read, nobody's change gets lost."""
    editor = find_editor(db, contribution_id, visitor)
    revision = read_revision(editor.contribution, data, if_match)
    return view(editor, drafting.change(db, editor, contribution_id, data.changes(), revision))


def read_revision(present: Contribution, data: DraftBody, if_match: str | None) -> int | None:
    """The revision that the change is based on, by its number, by its ETag or by the time of its last change."""
    if data.revision is not None:
        return data.revision
    if if_match and if_match.strip() != "*":
        tag = REVISION_TAG.fullmatch(if_match.strip())
        return int(tag[1]) if tag else 0  # no draft has the revision 0
    if data.updated_at is not None:
        return present.revision if data.updated_at == present.updated_at else 0
    return None


@delete("/{contribution_id:str}", *DRAFT_ERRORS, ContributorOnly)
def delete_contribution(db: Connection, visitor: Visitor, contribution_id: str) -> None:
    """Delete a draft. What was submitted cannot be deleted."""
    drafting.delete(db, find_editor(db, contribution_id, visitor), contribution_id)


async def validate_ahead(hub: HubContext, key: str | None, arguments: dict[str, Any]) -> None:
    """Validate for callers who may read the contribution, before the transaction that stores the outcome."""

    def read(db: Connection) -> Contribution:
        return find_editor(db, arguments["contribution_id"], ownership.find_visitor(db, key)).contribution

    await validating.validate_ahead(hub.database, read)


def read_validation_again(db: Connection, visitor: Visitor, contribution_id: str, reference: str) -> Validation:
    return read_validation(db, find_editor(db, contribution_id, visitor).contribution.id)


@post(
    "/{contribution_id:str}/validate",
    NoSuchContribution,
    limiting.TooManyValidations,
    status=200,
    read_again=ReadAgain(lambda answer: "", read_validation_again),
    prepare=validate_ahead,
)
def validate_contribution(db: Connection, visitor: Visitor, hub: HubContext, contribution_id: str) -> Validation:
    """Validate a contribution without submitting it. All errors and warnings come at once."""
    contribution = find_editor(db, contribution_id, visitor).contribution
    limiting.count_validation(db, hub, contribution)
    return validating.validate(db, contribution)


@post(
    "/{contribution_id:str}/submit",
    *DRAFT_ERRORS,
    HasErrors,
    limiting.TooManySubmissions,
    limiting.TooManyValidations,
    status=200,
    read_again=ReadAgain(lambda answer: "", read_submitted),
    prepare=validate_ahead,
)
def submit_contribution(
    db: Connection, visitor: Visitor, hub: HubContext, contribution_id: str
) -> SubmittedContribution:
    """Submit a draft for review. With errors it stays a draft, and the answer lists them."""
    editor = find_editor(db, contribution_id, visitor)
    submission = submitting.submit(db, hub, editor, contribution_id)
    if not submission.validation.is_valid:
        problems = submission.validation.errors
        # Returned, not raised: the validation is kept for the review page.
        return HasErrors(faults=tuple(Fault(each.field, each.code, each.message) for each in problems))  # type: ignore[return-value]
    return show_submitted(editor._replace(contribution=submission.contribution), submission.validation)


@get("/{contribution_id:str}/preview", NoSuchContribution, is_slow=True)
def preview_contribution(db: Connection, visitor: Visitor, contribution_id: str) -> ContributionPreview:
    """Show the document as it would be published."""
    contribution = find_editor(db, contribution_id, visitor).contribution
    number = contribution.sip_number or numbers.suggest_number(db)
    return ContributionPreview(documents.text_of(contribution.proposal, number), number)


@post(
    "/{contribution_id:str}/fork",
    NoSuchContribution,
    NoSuchEvaluation,
    limiting.TooManyDrafts,
    read_again=READ_NEW_AGAIN,
)
def fork_contribution(
    db: Connection, visitor: Visitor, hub: HubContext, contribution_id: str, data: ForkBody
) -> NewContribution:
    """Begin a draft with the content of an evaluation (`SIP-5` or its id) or of a contribution that you can read.

    Only maintainers get the answers and the rubric of an evaluation."""
    contributor = ownership.read_contributor(visitor.agent, data.contributor_name, data.contributor_email)
    if contribution_id.startswith(CONTRIBUTION_ID_PREFIX):
        editor = find_editor(db, contribution_id, visitor)
        return show_new(drafting.fork_contribution(db, hub, editor, contributor))
    return show_new(drafting.fork(db, hub, contribution_id, contributor))


router = Router(
    "/evaluations/contribute",
    route_handlers=[
        create_contribution,
        list_drafts,
        show_contribution,
        change_contribution,
        delete_contribution,
        validate_contribution,
        submit_contribution,
        preview_contribution,
        fork_contribution,
    ],
)
