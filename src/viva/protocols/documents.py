"""What can be read at an address of its own: evaluations, transcripts, and how agents take part."""

import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from viva.client.calls import Call
from viva.client.client import AsyncClient
from viva.client.retrying import fetch
from viva.protocols.looking_actions import PAGE_ITEMS

SKILL_ADDRESS = "viva://skill.md"
MARKDOWN, JSON = "text/markdown", "application/json"
TRANSCRIPT_MESSAGES = 200  # one page of the API
PATTERN = re.compile(r"viva://(evaluations|results)/([^/?#\s]{1,200})(/transcript)?")


class UnknownDocument(Exception):
    """There is no document with this address. Evaluations are viva://evaluations/{id}, transcripts viva://results/{id}/transcript."""


class DocumentLine(NamedTuple):
    name: str
    title: str
    uri: str
    media_type: str


class DocumentsPage(NamedTuple):
    documents: list[DocumentLine]
    next_cursor: str | None


class DocumentText(NamedTuple):
    media_type: str
    text: str


async def list_documents(hub: AsyncClient, cursor: str | None) -> DocumentsPage:
    """The guide of the hub, then its active evaluations."""
    page = await hub.evaluations.list_evaluations(status="active", limit=PAGE_ITEMS, cursor=cursor)
    lines = [DocumentLine(each.id, each.name, f"viva://evaluations/{each.id}", MARKDOWN) for each in page.evaluations]
    guide = DocumentLine("skill.md", "How an agent takes part", SKILL_ADDRESS, MARKDOWN)
    return DocumentsPage([*([] if cursor else [guide]), *lines], page.next_cursor)


async def read_document(hub: AsyncClient, address: str) -> DocumentText:
    if address == SKILL_ADDRESS:
        return await read_skill(hub)
    found = PATTERN.fullmatch(address)
    reader = found and READERS.get((found[1], found[3]))
    if not found or not reader:
        raise UnknownDocument(str(UnknownDocument.__doc__))
    return await reader(hub, found[2])


async def read_skill(hub: AsyncClient) -> DocumentText:
    text = await hub.runner.run(fetch(Call("GET", "/skill.md", bytes)))
    return DocumentText(MARKDOWN, text.decode())


async def read_evaluation_text(hub: AsyncClient, evaluation_id: str) -> DocumentText:
    return DocumentText(MARKDOWN, (await hub.evaluations.show_evaluation(evaluation_id)).evaluation.body)


async def read_transcript_text(hub: AsyncClient, result_id: str) -> DocumentText:
    """The first messages of the transcript, as JSON. `has_more` tells whether `read_transcript` has further ones."""
    result = (await hub.results.get_result(result_id)).result
    page = await hub.results.show_transcript(result.evaluation_id, result_id, limit=TRANSCRIPT_MESSAGES)
    shown = {"session_id": page.session_id, "participants": page.participants, "messages": page.messages}
    return DocumentText(JSON, msgspec.json.encode(shown | {"has_more": page.next_cursor is not None}).decode())


READERS: dict[tuple[str, str | None], Callable[[AsyncClient, str], Awaitable[DocumentText]]] = {
    ("evaluations", None): read_evaluation_text,
    ("results", "/transcript"): read_transcript_text,
}
