"""Research and exemplars of a SIP, as sections for people. Exemplars show answers, so only some people may see them."""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any

from viva.evaluations import sip as sips
from viva.evaluations import store
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import InvalidSip, Sip
from viva.kit.db import Connection

MAX_PARSED_DOCUMENTS = 32  # in memory; a long one takes 0.1 seconds to parse
ExemplarRow = dict[str, str]  # with probe, pass and fail


def render_sections(sip: Sip, with_exemplars: bool) -> str:
    """The sections in Markdown. What has another form, as in a draft, is left out."""
    exemplars = rows_in(sip.exemplars) if with_exemplars else []
    return join([*research_parts(sip), *exemplar_parts(exemplars)])


def render_exemplars(exemplars: list[ExemplarRow]) -> str:
    return join(exemplar_parts(exemplars))


def join(parts: Iterable[str]) -> str:
    return "\n\n".join(parts)


def research_parts(sip: Sip) -> Iterator[str]:
    if isinstance(sip.research_basis, str) and sip.research_basis.strip():
        yield "## Research basis"
        yield sip.research_basis.strip()
    links = rows_in(sip.research_mapping)
    if links:
        yield "## What rests on which research"
        rows = [f"| {cell(row.get('probe'))} | {cell(row.get('research'))} |" for row in links]
        yield "\n".join(["| part | research |", "| --- | --- |", *rows])


def exemplar_parts(exemplars: list[ExemplarRow]) -> Iterator[str]:
    if exemplars:
        yield "## Exemplars"
    for exemplar in exemplars:
        yield f"### {cell(exemplar.get('probe'))}"
        yield "**Passes.**"
        yield quote(exemplar.get("pass"))
        yield "**Fails.**"
        yield quote(exemplar.get("fail"))


def rows_in(value: Any) -> list[ExemplarRow]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def cell(value: Any) -> str:
    """Text on one line, which may stand in a table."""
    return " ".join(str(value or "").split()).replace("|", "\\|")


def quote(value: Any) -> str:
    return "\n".join(f"> {line}" for line in str(value or "").splitlines())


def read_sections(db: Connection, evaluation: Evaluation, with_exemplars: bool) -> str:
    """The sections of an evaluation in its version."""
    sip = find_sip(db, evaluation)
    return render_sections(sip, with_exemplars) if sip else ""


def read_exemplars(db: Connection, evaluation: Evaluation, probes: Collection[str]) -> list[ExemplarRow]:
    """The exemplars for these probes, for somebody who marks them."""
    sip = find_sip(db, evaluation)
    return [row for row in rows_in(sip.exemplars) if row.get("probe") in probes] if sip else []


def find_sip(db: Connection, evaluation: Evaluation) -> Sip | None:
    """The document of the evaluation in its version; None if there is none, or if the rules have changed since."""
    try:
        return parse_document(store.get_document(db, evaluation.id, evaluation.version))
    except (InvalidSip, store.NoSuchVersion):
        return None


@lru_cache(MAX_PARSED_DOCUMENTS)
def parse_document(document: str) -> Sip:
    return sips.parse(document)
