"""Form actions of a person who sits an evaluation: register, start, save, hand in, withdraw."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from litestar import Request, Response, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.exams import registering, starting, submitting, visibility, writing
from viva.exams.handlers.answering import MAX_ALL_ANSWERS_BYTES
from viva.exams.writing import SavedPage, WrittenAnswer
from viva.kit.db import Connection
from viva.kit.errors import NotFound, Unauthorized, VivaError
from viva.web import logins, pages
from viva.web.forms import all_texts_in
from viva.web.origins import check_own_form
from viva.web.sit_fields import SentForm, SitForm, fill_fields, read_form, show_sent, show_written
from viva.web.sit_forms import form_of
from viva.web.sit_page import OpenAttempt, TriedSit, answer, here, open_attempt
from viva.web.wording import path_part

FORM_BYTES_PER_BYTE = 3  # a form encodes one byte as %XX
NOT_WHOLE = "Some answers could not be saved, so nothing was handed in."
NOT_COMPLETE = "Some questions have no answer."
MAX_SIT_FORM_BYTES = FORM_BYTES_PER_BYTE * MAX_ALL_ANSWERS_BYTES + 512 * 1024  # names of fields, and stamps


class NoSuchSitAction(NotFound):
    """The page of an attempt has no such action."""


class RefusedHandIn(Exception):
    """A hand-in that was refused and rolled back, with the form as it was sent."""

    def __init__(self, error: VivaError, form: SitForm) -> None:
        super().__init__(str(error))
        self.error = error
        self.form = form


class Sitter(NamedTuple):
    """Who sits what, and what the form has."""

    hub: HubContext
    evaluation_id: str
    agent: Agent
    login_hash: str | None
    sent: SentForm

    @property
    def is_practice(self) -> bool:
        return self.sent.get("worth") == ["practice"]


class SavedForm(NamedTuple):
    attempt: OpenAttempt
    form: SitForm
    saved: SavedPage
    answers: Mapping[str, Any]  # with those that are never stored


def register(db: Connection, sitter: Sitter) -> None:
    registering.register(db, sitter.evaluation_id, sitter.agent, sitter.is_practice)


def start(db: Connection, sitter: Sitter) -> None:
    """Register and start, because the page has one button for both."""
    registering.register(db, sitter.evaluation_id, sitter.agent, sitter.is_practice)
    starting.start(db, sitter.hub, sitter.evaluation_id, sitter.agent, "", sitter.is_practice)


def save_form(db: Connection, sitter: Sitter) -> SavedForm:
    evaluation = visibility.get_evaluation(db, sitter.evaluation_id, sitter.agent)
    attempt = open_attempt(db, sitter.hub, evaluation, sitter.agent, sitter.login_hash)
    written = read_form(attempt.form, sitter.sent)
    saved = writing.save(db, attempt.exam, written)
    form = show_written(fill_fields(attempt.form, saved.answers), written, saved)
    return SavedForm(attempt, form, saved, saved.answers | unsaved_answers(attempt.form, written))


def unsaved_answers(form: SitForm, written: Mapping[str, WrittenAnswer]) -> dict[str, Any]:
    return {each.id: written[each.id].answer for each in form.fields if not each.is_saved and each.id in written}


def hand_in(db: Connection, sitter: Sitter) -> TriedSit | None:
    """Save what was written, then hand everything in. An attempt with open items is only saved, until it is confirmed."""
    attempt, form, saved, answers = save_form(db, sitter)
    if not saved.is_whole:
        return TriedSit(NOT_WHOLE, form)
    if form.open_items and "sure" not in sitter.sent:
        return TriedSit(NOT_COMPLETE, form, asks_to_confirm=True)
    body = form_of(attempt.exam.evaluation).make_body(attempt.exam, attempt.challenge, answers)
    try:
        submitting.submit(db, attempt.exam, body)
    except VivaError as error:
        faults = {fault.field: fault.message for fault in error.faults}
        raise RefusedHandIn(error, show_sent(attempt.form, sitter.sent, faults)) from error
    return None


def withdraw(db: Connection, sitter: Sitter) -> None:
    registering.cancel(db, sitter.evaluation_id, sitter.agent)


SIT_ACTIONS: dict[str, Callable[[Connection, Sitter], object]] = {
    "register": register,
    "start": start,
    "save": save_form,
    "hand-in": hand_in,
    "withdraw": withdraw,
}


@post("/evaluations/{sip:str}/sit/{action:str}", request_max_body_size=MAX_SIT_FORM_BYTES)
async def do_in_sit(request: Request, sip: str, action: str) -> Response[str] | Redirect | Response[bytes]:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    sent = await asyncio.to_thread(all_texts_in, await request.body())

    def unit(db: Connection) -> object:
        agent = logins.viewer(db, login_hash, request)
        if agent is None:
            raise Unauthorized()
        if action not in SIT_ACTIONS:
            raise NoSuchSitAction()
        return SIT_ACTIONS[action](db, Sitter(hub, sip, agent, login_hash, sent))

    try:
        done = await pages.write(request, unit)
    except Unauthorized:
        return Redirect(f"/login?next={path_part(here(sip))}", status_code=303)
    except RefusedHandIn as refused:
        return await refuse(request, sip, refused.error, refused.form)
    except VivaError as error:
        return await refuse(request, sip, error)
    if isinstance(done, TriedSit):
        return await answer(request, sip, done, 409)
    if isinstance(done, SavedForm):
        return await tell_saved(request, sip, done)
    return Redirect(here(sip), status_code=303)


async def refuse(request: Request, sip: str, error: VivaError, form: SitForm | None = None) -> Response[str] | Redirect:
    if error.status >= 500 or error.status == 404:
        raise error
    return await answer(request, sip, TriedSit(message_of(error), form), error.status)


def message_of(error: VivaError) -> str:
    """Why it was refused. A person does not know the names of fields that a program sends."""
    return " ".join(dict.fromkeys(fault.message for fault in error.faults)) or str(error)


async def tell_saved(request: Request, sip: str, done: SavedForm) -> Response[str] | Redirect | Response[bytes]:
    """Tell the script what was saved, or show the page."""
    if "application/json" in request.headers.get("accept", ""):
        return Response(msgspec.json.encode(describe_saved(done)), media_type="application/json")
    if done.saved.is_whole:
        return Redirect(f"{here(sip)}?saved=1", status_code=303)
    return await answer(request, sip, TriedSit("Not everything could be saved.", done.form), 409)


def describe_saved(done: SavedForm) -> dict[str, Any]:
    """Each field by its name: the stamp of what the hub has now, what is wrong, and what was saved elsewhere."""
    return {
        "answered": done.form.answered_count,
        "fields": {
            each.name: {"seen": each.seen, "fault": each.fault, "other": each.other} for each in done.form.fields
        },
    }
