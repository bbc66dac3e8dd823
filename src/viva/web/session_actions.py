"""Form actions on the page of a session: send a message, decide, release the candidate."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace

from litestar import Request, Response, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.exams import proctoring, viewing
from viva.kit.bodies import read_body
from viva.kit.db import Connection
from viva.kit.errors import Fault, Unauthorized, VivaError
from viva.kit.idempotency import IdempotentRequest, IdempotentResponse
from viva.sessions import channel
from viva.sessions.model import Session
from viva.web import logins, pages
from viva.web.forms import fields_in, texts_in
from viva.web.origins import check_own_form
from viva.web.sessions import TriedForm, answer, cohort_of, evaluation_of, here
from viva.web.verdict_form import prompts_in, verdict_in
from viva.web.wording import path_part

MESSAGE_FORM_OVERHEAD_BYTES = 4 * 1024  # for the other fields
FORM_BYTES_PER_BYTE = 3  # a form encodes one byte as %XX
MAX_VERDICT_FORM_BYTES = 2 * 1024 * 1024  # 100 notes and feedback; form encoding needs up to 12 bytes for a character
MAX_BUTTON_FORM_BYTES = 1_000  # the form has only a button
MAX_ONCE_CHARACTERS = 100

# A form action of an agent in a session. It returns the address to redirect to.
SessionAction = Callable[[Connection, Session, Agent], str]


@post("/sessions/{session_id:str}/messages")
async def send_message(request: Request, session_id: str) -> Response[str] | Redirect:
    hub = hub_of(request)
    login_hash = await check_form(request, hub)
    too_large = f"A message has at most {hub.message_bytes:,} bytes."
    body = await read_body(
        request.receive, FORM_BYTES_PER_BYTE * hub.message_bytes + MESSAGE_FORM_OVERHEAD_BYTES, too_large
    )
    written = await asyncio.to_thread(texts_in, body)

    def action(db: Connection, session: Session, agent: Agent) -> str:
        repeatable = idempotent_form(hub, agent, session, written)
        first_response = repeatable and repeatable.begin(db)
        if first_response:
            return (first_response.body or b"").decode()
        prompt_id = prompt_in(db, session, written)
        message = channel.send(
            db, session.evaluation_id, session.id, agent.id, written.get("content", ""), hub.message_bytes, prompt_id
        )
        message_address = f"{here(session.id)}#msg-{message.sequence}"
        if repeatable:
            repeatable.keep(db, IdempotentResponse(303, message_address.encode()))
        return message_address

    return await run_action(request, session_id, login_hash, TriedForm("message", written), action)


def idempotent_form(
    hub: HubContext, agent: Agent, session: Session, written: dict[str, str]
) -> IdempotentRequest | None:
    """The page gives each message a token, so that a repeated form sends it once. A changed text is a new message."""
    once = written.get("once", "")[:MAX_ONCE_CHARACTERS]
    content = f"{session.id}\n{written.get('prompt_id', '')}\n{written.get('content', '')}".encode(errors="replace")
    key = f"{once} {hashlib.sha256(content).hexdigest()}"
    return IdempotentRequest(f"form {agent.id}", key, content, hub.secret) if once else None


def prompt_in(db: Connection, session: Session, written: dict[str, str]) -> str | None:
    """The chosen prompt, or None if the evaluation does not have it."""
    given = written.get("prompt_id", "")
    return given if given and given in prompts_in(evaluation_of(db, session, cohort_of(db, session)).config) else None


@post("/sessions/{session_id:str}/verdict", request_max_body_size=MAX_VERDICT_FORM_BYTES)
async def decide(request: Request, session_id: str) -> Response[str] | Redirect:
    hub = hub_of(request)
    login_hash = await check_form(request, hub)
    written = await asyncio.to_thread(fields_in, await request.body())

    def action(db: Connection, session: Session, agent: Agent) -> str:
        registration_id = proctoring.registration_id_of(session)
        verdict = verdict_in(evaluation_of(db, session, None), written)
        result = proctoring.submit(db, session.evaluation_id, registration_id, agent, verdict, hub.proctors, True)
        return f"/evaluations/result/{path_part(result.id)}"

    return await run_action(request, session_id, login_hash, TriedForm("verdict", written), action)


@post("/sessions/{session_id:str}/release", request_max_body_size=MAX_BUTTON_FORM_BYTES)
async def release(request: Request, session_id: str) -> Response[str] | Redirect:
    login_hash = await check_form(request, hub_of(request))

    def action(db: Connection, session: Session, agent: Agent) -> str:
        proctoring.release(db, session.evaluation_id, proctoring.registration_id_of(session), agent)
        return "/proctor?given-back=1"

    return await run_action(request, session_id, login_hash, TriedForm("release"), action)


async def check_form(request: Request, hub: HubContext) -> str | None:
    """Refuse a form of another site, and return the hash of the sender's login."""
    check_own_form(request)
    return await pages.admit(request, hub)


async def run_action(
    request: Request, session_id: str, login_hash: str | None, tried: TriedForm, action: SessionAction
) -> Response[str] | Redirect:
    """Run the action and redirect. If it fails, show the page with the written text and the error."""

    def unit(db: Connection) -> str:
        agent = logins.viewer(db, login_hash, request)
        if agent is None:
            raise Unauthorized()
        return action(db, viewing.get_session_by_id(db, session_id, agent), agent)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except VivaError as error:
        if error.status >= 500 or error.status == 404:
            raise
        faults = error.faults or (Fault("", error.code(), str(error)),)
        return await answer(request, session_id, replace(tried, faults=faults), error.status)
