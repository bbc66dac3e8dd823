"""A proposal as a SIP document, and a SIP as a proposal."""

import re
from typing import Any

from viva.contributions.model import Proposal
from viva.evaluations import sip as sips
from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.evaluations.sip import Executable, Sip
from viva.evaluations.sip_fields import BUILT_IN_HANDLERS, MAX_ID_CHARACTERS, RESEARCH_FIELDS
from viva.kit.clock import now

PURPOSE_HEADING = "## What this evaluation tests"


def evaluation_id_of(proposal: Proposal) -> str:
    """The id that the proposal asks for, or one made from its name."""
    return proposal.evaluation_id or re.sub(r"[^a-z0-9]+", "-", proposal.name.lower()).strip("-")[:MAX_ID_CHARACTERS]


def handler_of(proposal: Proposal) -> str:
    """The handler as a SIP names it. A contributed one has a prefix, so that it never hides a handler of Viva."""
    handler = proposal.executable_handler
    return handler if handler in BUILT_IN_HANDLERS or not proposal.executable_code else CONTRIBUTED_PREFIX + handler


def sip_of(proposal: Proposal, number: int, status: str) -> Sip:
    today = now().date().isoformat()
    research: dict[str, Any] = {field: getattr(proposal, field) or None for field in RESEARCH_FIELDS}
    return Sip(
        sip=number,
        id=evaluation_id_of(proposal),
        name=proposal.name,
        title=proposal.title or None,
        module=proposal.module,
        department=proposal.department,
        type=proposal.type,
        status=status,
        version=proposal.version,
        points=whole(proposal.points),
        prerequisites=tuple(proposal.prerequisites),
        author=proposal.author,
        created_at=today,
        updated_at=today,
        config=config_of(proposal),
        executable=Executable(handler_of(proposal), proposal.executable_script_path),
        extra={},
        body=body_of(proposal),
        **research,
    )


def whole(number: float) -> float:
    """10.0 as 10, as people write it."""
    return int(number) if float(number).is_integer() else number


def body_of(proposal: Proposal) -> str:
    """The sections of the document. The description is the first, wherever the author wrote about the purpose."""
    sections = (PURPOSE_HEADING, proposal.description.strip(), further_sections(proposal.body))
    return "\n\n".join(filter(None, sections)) + "\n"


def further_sections(body: str) -> str:
    """The Markdown without its title and without its section about the purpose, which the description replaces."""
    lines: list[str] = []
    inside = fenced = False
    for line in body.strip().splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and line.startswith(("# ", "## ")):
            inside = (line.startswith("# ") and not lines) or line.strip() == PURPOSE_HEADING
        if not inside:
            lines.append(line)
    return "\n".join(lines).strip()


def config_of(proposal: Proposal) -> dict[str, Any]:
    """The config. A summary in it goes before the text, so it follows the description."""
    if proposal.description and "summary" in proposal.config:
        return proposal.config | {"summary": proposal.description}
    return proposal.config


def text_of(proposal: Proposal, number: int, status: str = "active") -> str:
    """The document as it would be published."""
    return sips.render(sip_of(proposal, number, status))


def proposal_of(sip: Sip) -> Proposal:
    """A proposal with the content of a SIP, for forks and for pull requests of others."""
    fields: dict[str, Any] = {
        field: getattr(sip, field)
        for field in ("name", "module", "department", "type", "config", "points", "version", "author")
    }
    research = {field: value for field in RESEARCH_FIELDS if (value := getattr(sip, field)) is not None}
    return Proposal(
        **fields,
        **research,
        evaluation_id=sip.id,
        title=sip.title or "",
        description=sips.purpose_of(sip),
        prerequisites=list(sip.prerequisites),
        executable_handler=sip.executable.handler.removeprefix(CONTRIBUTED_PREFIX),
        executable_script_path=sip.executable.script_path,
        body=further_sections(sip.body),
    )
