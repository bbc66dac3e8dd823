"""The page on which a contribution starts: blank, from a template or an example, as a fork, or from a description."""

import asyncio
from dataclasses import dataclass, field

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import HubContext, address_of, hub_of
from viva.contributions import announcing, drafting, ownership, reviewing
from viva.contributions.drafting import NewDraft
from viva.contributions.model import Contributor, Proposal
from viva.contributions.ownership import Editor
from viva.contributions.suggesting import MAX_IDEA_CHARACTERS, Suggestion, suggest_proposal
from viva.contributions.templates import blank_proposal, load_template, own_example
from viva.evaluations.sip_fields import EVALUATION_TYPES
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.kit.limits import subject_of
from viva.web import contribute_choices, logins, pages
from viva.web.contribute_access import (
    CONTRIBUTE_PATH,
    address_of_draft,
    show_draft_page,
    show_private,
    tokens_cookie,
    tokens_in,
)
from viva.web.contribute_actions import read_form
from viva.web.contribute_steps import MODEL_PREFIX
from viva.web.contribute_words import TYPE_HINTS
from viva.web.queries import word

MAX_START_FORM_BYTES = 64 * 1024  # a description of 4,000 characters; form encoding needs up to 12 bytes for each
SUGGESTION_SECONDS = 30.0  # a person waits for the page; rules write the draft after that
CONTRIBUTOR_FAULT_TEXTS = {"contributor_name": "Give a name of at most 200 characters."}  # the API speaks of keys
START_LABELS = {
    "start": "How to start",
    "description": "Your idea",
    "evaluation": "Evaluation",
    "type": "Kind of evaluation",
    "contributor_name": "Name",
    "contributor_email": "E-mail address",
}
STARTS = ("describe", "template", "example", "fork", "blank")


class BadStart(Invalid):
    """The form is not complete."""


@dataclass(frozen=True)
class StartPage:
    """The choices, and the fields as they were written before."""

    evaluations: dict[str, str]
    written: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    has_model: bool = False
    waiting_reviews: int | None = None  # for maintainers
    types = TYPE_HINTS
    labels = START_LABELS

    @property
    def start(self) -> str:
        return self.written.get("start", "describe")

    @property
    def max_idea_characters(self) -> int:
        return MAX_IDEA_CHARACTERS


@get(CONTRIBUTE_PATH)
async def show_start(request: Request) -> Response[str]:
    fork = word(request, "fork")
    return await start_page(request, {"start": "fork", "evaluation": fork} if fork else {}, (), 200)


async def start_page(
    request: Request, written: dict[str, str], faults: tuple[Fault, ...], status: int
) -> Response[str]:
    has_model = bool(hub_of(request).judges)

    def read(db: Connection) -> StartPage:
        evaluations = contribute_choices.read_choices(db).evaluations
        messages = {fault.field: fault.message for fault in faults}
        return StartPage(evaluations, written, messages, has_model, count_reviews(db, pages.frame_of(request).viewer))

    return await show_private(request, "contribute/start.html", read, status)


def count_reviews(db: Connection, viewer: Agent | None) -> int | None:
    return reviewing.count_waiting(db) if viewer and viewer.is_maintainer else None


@post(CONTRIBUTE_PATH, request_max_body_size=MAX_START_FORM_BYTES)
async def start(request: Request) -> Response[str] | Redirect:
    fields = await read_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    viewer = await hub.database.read(lambda db: logins.viewer(db, login_hash, request))
    try:
        contributor = read_start(viewer, fields)
        if hub.rate_limits and not viewer:
            await hub.rate_limits.anonymous.take(hub.database, subject_of(address_of(request)))
        suggestion = await first_draft(hub, fields)
        draft = await pages.write(request, lambda db: begin_and_mail(db, hub, fields, contributor, suggestion))
    except Invalid as refused:
        return await start_page(request, fields, refused.faults, refused.status)
    if draft.token is None:
        return Redirect(address_of_draft(draft.contribution.id), status_code=303)
    cookies = [tokens_cookie(request, draft.contribution.id, draft.token)]
    return Redirect(address_of_draft(draft.contribution.id, "link"), status_code=303, cookies=cookies)


def read_start(viewer: Agent | None, fields: dict[str, str]) -> Contributor:
    """The contributor. The error lists all faults of the form at once."""
    faults = list(start_faults(fields))
    try:
        contributor = ownership.read_contributor(
            viewer, fields.get("contributor_name"), fields.get("contributor_email")
        )
    except Invalid as refused:
        reworded = (
            fault._replace(message=CONTRIBUTOR_FAULT_TEXTS.get(fault.field, fault.message)) for fault in refused.faults
        )
        raise BadStart(faults=(*faults, *reworded)) from None
    if faults:
        raise BadStart(faults=tuple(faults))
    return contributor


def start_faults(fields: dict[str, str]) -> list[Fault]:
    start, description = fields.get("start", ""), fields.get("description", "").strip()
    if start not in STARTS:
        return [Fault("start", "missing", "Choose how to start.")]
    if start == "describe" and not 1 <= len(description) <= MAX_IDEA_CHARACTERS:
        return [
            Fault(
                "description",
                "out_of_range",
                f"Describe it in a few sentences, in at most {MAX_IDEA_CHARACTERS:,} characters.",
            )
        ]
    if start == "fork" and not fields.get("evaluation"):
        return [Fault("evaluation", "missing", "Choose an evaluation.")]
    if start in ("template", "example", "blank") and fields.get("type") not in EVALUATION_TYPES:
        return [Fault("type", "missing", "Choose a type.")]
    return []


async def first_draft(hub: HubContext, fields: dict[str, str]) -> Suggestion | None:
    """What the draft starts with. None for a fork, which is read in the unit that makes it."""
    type_ = fields.get("type", "")
    match fields["start"]:
        case "describe":
            return await suggest(hub, fields["description"].strip(), type_ if type_ in EVALUATION_TYPES else "")
        case "template":
            return Suggestion(load_template(type_).outline, None)
        case "example":
            return Suggestion(own_example(type_), None)
        case "blank":
            return Suggestion(blank_proposal(type_), None)
    return None


async def suggest(hub: HubContext, description: str, type_: str) -> Suggestion:
    """Ask the first judge. Without one, or without an answer in time, rules write the draft."""
    if hub.judges:
        asked = asyncio.to_thread(suggest_proposal, description, type_, hub.judges[0])
        try:
            return await asyncio.wait_for(asked, SUGGESTION_SECONDS)
        except TimeoutError:
            return suggest_proposal(description, type_)
    return suggest_proposal(description, type_)


def begin_and_mail(
    db: Connection, hub: HubContext, fields: dict[str, str], contributor: Contributor, suggestion: Suggestion | None
) -> NewDraft:
    """Begin the draft, and mail its link where the hub sends e-mails. In an outbox it would have no token."""
    draft = begin(db, hub, fields, contributor, suggestion)
    if draft.token and hub.sends_email:
        announcing.mail_link(db, draft.contribution)
    return draft


def begin(
    db: Connection, hub: HubContext, fields: dict[str, str], contributor: Contributor, suggestion: Suggestion | None
) -> NewDraft:
    if suggestion is None:
        return drafting.fork(db, hub, fields["evaluation"], contributor)
    if suggestion.model is None:
        return drafting.create(db, hub, suggestion.proposal, contributor)
    # The history names the model as the editor of what it wrote.
    draft = drafting.create(db, hub, Proposal(type=suggestion.proposal.type), contributor)
    model = Editor(draft.contribution, "contributor", None, f"{MODEL_PREFIX}{suggestion.model}")
    written = drafting.update(db, model, draft.contribution.id, suggestion.proposal, draft.contribution.revision)
    return NewDraft(written, draft.token)


@dataclass(frozen=True)
class LinkPage:
    """The link by which a contributor without an account opens the draft again."""

    link: str
    next: str


@get("/evaluations/contribute/{contribution_id:str}/link")
async def show_link(request: Request, contribution_id: str) -> Response[str] | Redirect:
    token = tokens_in(request).get(contribution_id, "")
    here = address_of_draft(contribution_id)
    page = LinkPage(
        f"{hub_of(request).base_url}{address_of_draft(contribution_id, token=token)}" if token else "", here
    )
    return await show_draft_page(request, contribution_id, "contribute/link.html", lambda db, editor: page)
