"""What is done from the page of a session: speak, decide, give the candidate back."""

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

MESSAGE_FORM_OVERHEAD_BYTES = 4 * 1024  # bytes of the other fields
FORM_BYTES_PER_BYTE = 3  # bytes in which a form spells one
MAX_VERDICT_FORM_BYTES = 2 * 1024 * 1024  # of a verdict: 100 notes and feedback in letters that a form spells in twelve
MAX_BUTTON_FORM_BYTES = 1_000  # bytes of a form that has nothing but its button
MAX_ONCE_CHARACTERS = 100

# What a deed does with the session and the agent who does it; it gives the address to go to.
SessionAction = Callable[[Connection, Session, Agent], str]


@post("/sessions/{session_id:str}/messages")
async def speak(request: Request, session_id: str) -> Response[str] | Redirect:
    hub = hub_of(request)
    login_hash = await signed_in(request, hub)
    too_large = f"A message has at most {hub.message_bytes:,} bytes."
    body = await read_body(
        request.receive, FORM_BYTES_PER_BYTE * hub.message_bytes + MESSAGE_FORM_OVERHEAD_BYTES, too_large
    )
    written = await asyncio.to_thread(texts_in, body)

    def action(db: Connection, session: Session, agent: Agent) -> str:
        repeatable = idempotent_form(hub, agent, session, written)
        kept = repeatable and repeatable.begin(db)
        if kept:
            return (kept.body or b"").decode()
        prompt_id = prompt_in(db, session, written)
        message = channel.send(
            db, session.evaluation_id, session.id, agent.id, written.get("content", ""), hub.message_bytes, prompt_id
        )
        there = f"{here(session.id)}#msg-{message.sequence}"
        if repeatable:
            repeatable.keep(db, IdempotentResponse(303, there.encode()))
        return there

    return await run_action(request, session_id, login_hash, TriedForm("message", written), action)


def idempotent_form(
    hub: HubContext, agent: Agent, session: Session, written: dict[str, str]
) -> IdempotentRequest | None:
    """The page names each message, so that one whose answer was lost can be sent again; other words are another message."""
    once = written.get("once", "")[:MAX_ONCE_CHARACTERS]
    words = f"{session.id}\n{written.get('prompt_id', '')}\n{written.get('content', '')}".encode(errors="replace")
    key = f"{once} {hashlib.sha256(words).hexdigest()}"
    return IdempotentRequest(f"form {agent.id}", key, words, hub.secret) if once else None


def prompt_in(db: Connection, session: Session, written: dict[str, str]) -> str | None:
    """The prompt that was chosen, if the evaluation has it."""
    given = written.get("prompt_id", "")
    return given if given and given in prompts_in(evaluation_of(db, session, cohort_of(db, session)).config) else None


@post("/sessions/{session_id:str}/verdict", request_max_body_size=MAX_VERDICT_FORM_BYTES)
async def decide(request: Request, session_id: str) -> Response[str] | Redirect:
    login_hash = await signed_in(request, hub_of(request))
    written = await asyncio.to_thread(fields_in, await request.body())

    def action(db: Connection, session: Session, agent: Agent) -> str:
        registration_id = proctoring.registration_in(session)
        verdict = verdict_in(evaluation_of(db, session, None), written)
        result = proctoring.submit(db, session.evaluation_id, registration_id, agent, verdict)
        return f"/evaluations/result/{path_part(result.id)}"

    return await run_action(request, session_id, login_hash, TriedForm("verdict", written), action)


@post("/sessions/{session_id:str}/release", request_max_body_size=MAX_BUTTON_FORM_BYTES)
async def give_back(request: Request, session_id: str) -> Response[str] | Redirect:
    login_hash = await signed_in(request, hub_of(request))

    def action(db: Connection, session: Session, agent: Agent) -> str:
        proctoring.release(db, session.evaluation_id, proctoring.registration_in(session), agent)
        return "/proctor?given-back=1"

    return await run_action(request, session_id, login_hash, TriedForm("release"), action)


async def signed_in(request: Request, hub: HubContext) -> str | None:
    """The hash of the key of whoever sent the form, which is one of ours."""
    check_own_form(request)
    return await pages.admit(request, hub)


async def run_action(
    request: Request, session_id: str, login_hash: str | None, tried: TriedForm, action: SessionAction
) -> Response[str] | Redirect:
    """Where the deed leads; if it cannot be done, the page with what was written and why not."""

    def unit(db: Connection) -> str:
        agent = logins.viewer(db, login_hash, request)
        if agent is None:
            raise Unauthorized()
        return action(db, viewing.session_with_id(db, session_id, agent), agent)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except VivaError as error:
        if error.status >= 500 or error.status == 404:
            raise
        faults = error.faults or (Fault("", error.code(), str(error)),)
        return await answer(request, session_id, replace(tried, faults=faults), error.status)
