"""The whole document of a contribution: as highlighted source, as a page, and as a file."""

from dataclasses import dataclass

from litestar import Request, Response, get
from litestar.response import Redirect

from viva.contributions import documents, validating
from viva.contributions.model import Contribution
from viva.contributions.ownership import Editor
from viva.evaluations import numbers
from viva.kit.db import Connection
from viva.web import pages
from viva.web.contribute_access import editor_at, show_draft_page
from viva.web.contribute_view import ProblemList, ShownProblem, problems_in
from viva.web.queries import word


@dataclass(frozen=True)
class PreviewPage(ProblemList):
    contribution: Contribution
    document: str
    body: str
    problems: list[ShownProblem]
    may_edit: bool


@get("/evaluations/contribute/{contribution_id:str}/preview")
async def show_preview(request: Request, contribution_id: str) -> Response[str] | Redirect:
    if word(request, "part") == "source":
        return await show_draft_page(request, contribution_id, "contribute/_source.html", source_part)
    return await show_draft_page(request, contribution_id, "contribute/preview.html", preview_page, is_validated=True)


def source_part(db: Connection, editor: Editor) -> str:
    """Only the document, for the preview beside the form."""
    return document_of(db, editor.contribution)


def preview_page(db: Connection, editor: Editor) -> PreviewPage:
    contribution = editor.contribution
    return PreviewPage(
        contribution,
        document_of(db, contribution),
        documents.body_of(contribution.proposal),
        problems_in(validating.validate_content(db, contribution)),
        contribution.status == "draft" and editor.role != "maintainer",
    )


def document_of(db: Connection, contribution: Contribution) -> str:
    """The document with the number that it has, or would probably get."""
    number = contribution.sip_number or numbers.suggest_number(db)
    return documents.text_of(contribution.proposal, number, "active" if contribution.sip_number else "draft")


@get("/evaluations/contribute/{contribution_id:str}/preview.md")
async def download(request: Request, contribution_id: str) -> Response[str]:
    """The document as a file. Its name comes from its number and nothing else."""
    response = await pages.show(
        request, "contribute/document.md", lambda db: read_document(request, db, contribution_id), is_slow=True
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Disposition"] = 'attachment; filename="SIP-draft.md"'
    response.media_type = "text/markdown; charset=utf-8"
    return response


def read_document(request: Request, db: Connection, contribution_id: str) -> str:
    editor = editor_at(request, db, contribution_id, pages.frame_of(request).viewer)
    return document_of(db, editor.contribution)
