"""The five steps of the contribution form: show one, save it, submit at the end."""

from dataclasses import replace
from typing import Any, NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.contributions import differences, drafting, revisions, submitting, validating
from viva.contributions.model import Contribution
from viva.contributions.ownership import Editor
from viva.contributions.store import StaleRevision
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.web import contribute_choices
from viva.web.contribute_access import (
    ElsewhereError,
    address_of_draft,
    is_token,
    show_draft_page,
    tokens_cookie,
    validate_ahead,
)
from viva.web.contribute_actions import MAX_CONTRIBUTION_FORM_BYTES, MAX_SMALL_FORM_BYTES, read_form, write_as_editor
from viva.web.contribute_preview import document_of
from viva.web.contribute_view import (
    EditConflict,
    ShownProblem,
    StepForm,
    StepPage,
    by_slot,
    problems_in,
    step_of,
    steps_of,
)
from viva.web.contribution_fields import STEP_NAMES
from viva.web.contribution_form import read_step
from viva.web.contribution_paths import build_tree, keys_of
from viva.web.contribution_rows import change_rows, row_action_in
from viva.web.contribution_values import values_of
from viva.web.queries import count, number, word

MODEL_PREFIX = "model "  # an editor's name with it is that of a model that wrote a draft
LAST_STEP = 5
AUTOSAVE = "autosave"  # what the script sends in place of a button
EARLY_REVISIONS = 2  # the model's draft is the second revision


class Tried(NamedTuple):
    """A form that was not saved, as it was written."""

    fields: dict[str, str]
    status: int
    faults: tuple[Fault, ...] = ()
    message: str = ""
    is_stale: bool = False


class SavedStep(NamedTuple):
    """A draft as it was saved, and the row to show next, if one was added or moved."""

    draft: Contribution
    anchor: str


def step_in(request: Request) -> int:
    step = count(request, "step")
    return step if step in STEP_NAMES else 1


@get("/evaluations/contribute/{contribution_id:str}")
async def show_step(request: Request, contribution_id: str) -> Response[str] | Redirect:
    token = str(request.query_params.get("token", ""))
    if token:
        return open_by_link(request, contribution_id, token)
    return await step_page(request, contribution_id, step_in(request), None)


def open_by_link(request: Request, contribution_id: str, token: str) -> Redirect:
    """Keep the token in the cookie, and take it out of the address."""
    cookies = [tokens_cookie(request, contribution_id, token)] if is_token(token) else []
    return Redirect(address_of_draft(contribution_id), status_code=303, cookies=cookies)


async def step_page(request: Request, contribution_id: str, step: int, tried: Tried | None) -> Response[str] | Redirect:
    def read(db: Connection, editor: Editor) -> StepPage:
        check_is_form(editor)
        page = read_page(db, editor, step, request)
        return with_tried(db, page, tried) if tried else page

    status = tried.status if tried else 200
    return await show_draft_page(request, contribution_id, "contribute/step.html", read, status, is_validated=True)


def check_is_form(editor: Editor) -> None:
    """What is submitted has a status page. Maintainers read drafts of others, and do not edit them."""
    if editor.contribution.status != "draft":
        raise ElsewhereError(address_of_draft(editor.contribution.id, "status"))
    if editor.role == "maintainer":
        raise ElsewhereError(address_of_draft(editor.contribution.id, "preview"))


def read_page(db: Connection, editor: Editor, step: int, request: Request) -> StepPage:
    draft = editor.contribution
    problems = problems_in(validating.validate_content(db, draft))
    is_checked = bool(word(request, "checked"))
    choices = contribute_choices.read_choices(db)
    return StepPage(
        contribution=draft,
        step=step,
        form=StepForm(values_of(draft.proposal), by_slot(problems, step, draft.type) if is_checked else {}),
        steps=steps_of(draft, step, problems),
        problems=problems,
        is_checked=is_checked,
        is_saved=bool(word(request, "saved")),
        is_next=bool(word(request, "next")),
        written_by=find_model(db, draft),
        choices=choices,
        revision=draft.revision,
        document=document_of(db, draft) if step == LAST_STEP else "",
    )


def find_model(db: Connection, draft: Contribution) -> str | None:
    """The model that wrote the first draft, if one did."""
    if draft.revision < EARLY_REVISIONS:
        return None
    names = [saved.editor_name for saved in revisions.list_revisions(db, draft.id) if saved.revision <= EARLY_REVISIONS]
    return next((name.removeprefix(MODEL_PREFIX) for name in names if name.startswith(MODEL_PREFIX)), None)


def with_tried(db: Connection, page: StepPage, tried: Tried) -> StepPage:
    """The page with the texts that were not saved, and why."""
    problems = [ShownProblem(fault.field, fault.message, None, True, step_of(fault.field)) for fault in tried.faults]
    form = StepForm(build_tree(texts_of_tree(tried.fields)), by_slot(problems, page.step, page.contribution.type))
    conflict = find_conflict(db, page.contribution, page.step, tried) if tried.is_stale else None
    return replace(page, form=form, is_checked=True, is_saved=False, conflict=conflict, error=tried.message)


def texts_of_tree(fields: dict[str, str]) -> dict[str, Any]:
    """The fields by their paths. A row is there even if all of its fields are empty."""
    return {path: {} if path.endswith("]") and text == "1" else text for path, text in fields.items() if keys_of(path)}


def find_conflict(db: Connection, draft: Contribution, step: int, tried: Tried) -> EditConflict:
    """The differences between what somebody else saved and what was written on this page."""
    last = next(iter(revisions.list_revisions(db, draft.id)), None)
    try:
        mine = read_step(tried.fields, draft.proposal, step)
    except Invalid:
        mine = draft.proposal
    return EditConflict(last.editor_name if last else "", differences.list_changes(draft.proposal, mine))


@post("/evaluations/contribute/{contribution_id:str}", request_max_body_size=MAX_CONTRIBUTION_FORM_BYTES)
async def save_step(request: Request, contribution_id: str) -> Response[str] | Redirect:
    fields, step = await read_form(request), step_in(request)
    button = fields.get("do", "save")

    def action(db: Connection, editor: Editor) -> SavedStep:
        return save(db, editor, step, fields, button)

    try:
        saved = await write_as_editor(request, contribution_id, action)
        if button == AUTOSAVE:
            return await saved_part(request, contribution_id, step)
        return Redirect(await next_address(request, saved, step, button), status_code=303)
    except StaleRevision as stale:
        return await step_page(request, contribution_id, step, Tried(fields, 409, is_stale=True, message=str(stale)))
    except Invalid as refused:
        return await step_page(request, contribution_id, step, Tried(fields, 422, refused.faults, str(refused)))


async def saved_part(request: Request, contribution_id: str, step: int) -> Response[str] | Redirect:
    """What changed on the page of a script that saved: much less than the page."""

    def read(db: Connection, editor: Editor) -> StepPage:
        page = read_page(db, editor, step, request)
        return replace(page, form=StepForm({}, by_slot(page.problems, step, editor.contribution.type)))

    return await show_draft_page(request, contribution_id, "contribute/saved.html", read, is_validated=True)


def save(db: Connection, editor: Editor, step: int, fields: dict[str, str], button: str) -> SavedStep:
    draft = editor.contribution
    proposal = read_step(fields, draft.proposal, step)
    anchor = ""
    if row := row_action_in(button):
        proposal, anchor = change_rows(proposal, step, row)
    return SavedStep(drafting.update(db, editor, draft.id, proposal, number(fields.get("revision", ""))), anchor)


async def next_address(request: Request, saved: SavedStep, step: int, button: str) -> str:
    """The address of the page to show next."""
    draft = saved.draft
    if button == "next" and await has_errors(request, draft, step):
        return address_of_draft(draft.id, step=step, checked=1, next=1)
    if button in ("next", "back"):
        return address_of_draft(draft.id, step=max(1, min(LAST_STEP, step + (1 if button == "next" else -1))))
    if row_action_in(button):
        return address_of_draft(draft.id, step=step) + (f"#{saved.anchor}" if saved.anchor else "")
    return address_of_draft(draft.id, step=step, checked=1, saved=1)


async def has_errors(request: Request, draft: Contribution, step: int) -> bool:
    """Whether the saved step has errors. Other writes do not wait for this validation."""
    await validate_ahead(request, draft.id)
    problems = problems_in(await hub_of(request).database.read(lambda db: validating.validate_content(db, draft)))
    return any(problem.is_error and problem.step == step for problem in problems)


@post("/evaluations/contribute/{contribution_id:str}/submit", request_max_body_size=MAX_SMALL_FORM_BYTES)
async def submit(request: Request, contribution_id: str) -> Redirect:
    """Submit the draft. With errors it stays a draft, and the last step lists them."""
    await read_form(request)
    hub = hub_of(request)
    submission = await write_as_editor(
        request,
        contribution_id,
        lambda db, editor: submitting.submit(db, hub, editor, contribution_id),
        is_validated=True,
    )
    is_draft = submission.contribution.status == "draft"
    return Redirect(
        address_of_draft(contribution_id, step=5, checked=1)
        if is_draft
        else address_of_draft(contribution_id, "submitted"),
        status_code=303,
    )
