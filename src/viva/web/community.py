"""Community review: submissions that their contributors opened to comments and votes of everybody."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.contributions import bounds, comments, community
from viva.contributions.community import CommunitySummary, CommunityView
from viva.kit.db import Connection
from viva.kit.errors import Forbidden, Invalid, NotFound, TooMany
from viva.web import logins, pages
from viva.web.forms import fields_in, refusal_text
from viva.web.origins import check_own_form
from viva.web.queries import count
from viva.web.wording import address, path_part

COMMUNITY_PATH = "/evaluations/contribute/community"
OPEN_SUBMISSIONS_PER_PAGE = 25
MAX_COMMUNITY_FORM_BYTES = 64 * 1024  # the longest comment, of characters that take several bytes each
VOTES = {"for": 1, "against": -1, "none": 0}


class NoSuchCommunityAction(NotFound):
    """There is no such action in a community review."""


@dataclass(frozen=True)
class CommunityListPage:
    submissions: list[CommunitySummary]
    total: int
    offset: int

    @property
    def next_offset(self) -> int | None:
        end = self.offset + len(self.submissions)
        return end if end < self.total else None


@dataclass(frozen=True)
class CommunityReviewPage:
    submission: CommunityView
    is_own: bool
    vote: int  # of the viewer: 1, -1, or 0
    fault: str
    text: str  # of a refused comment
    max_comment_characters = bounds.MAX_COMMENT_CHARACTERS

    @property
    def path(self) -> str:
        return community_path(self.submission.id)


def community_path(contribution_id: str) -> str:
    return f"{COMMUNITY_PATH}/{path_part(contribution_id)}"


@get(COMMUNITY_PATH)
async def list_open(request: Request) -> Response[str]:
    offset = count(request, "offset")

    def read(db: Connection) -> CommunityListPage:
        found = community.list_open(db, OPEN_SUBMISSIONS_PER_PAGE, offset)
        return CommunityListPage(found.contributions, found.total, offset)

    return await pages.show(request, "community/list.html", read)


@get(f"{COMMUNITY_PATH}/{{contribution_id:str}}")
async def show_open(request: Request, contribution_id: str) -> Response[str]:
    return await show_page(request, contribution_id)


async def show_page(
    request: Request, contribution_id: str, fault: str = "", text: str = "", status: int = 200
) -> Response[str]:
    def read(db: Connection) -> CommunityReviewPage:
        submission = community.view(db, community.get_open(db, contribution_id))
        viewer = pages.frame_of(request).viewer
        is_own = viewer is not None and viewer.id == submission.contributor_id
        vote = comments.find_vote(db, contribution_id, viewer.id) if viewer else 0
        return CommunityReviewPage(submission, is_own, vote, fault, text)

    return await pages.show(request, "community/show.html", read, status)


@post(f"{COMMUNITY_PATH}/{{contribution_id:str}}/{{action:str}}", request_max_body_size=MAX_COMMUNITY_FORM_BYTES)
async def do_in_community(request: Request, contribution_id: str, action: str) -> Response[str] | Redirect:
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    fields = fields_in(await request.body())

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return address("/login", next=community_path(contribution_id))
        act(db, contribution_id, viewer, action, fields)
        return community_path(contribution_id)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except (Forbidden, Invalid, TooMany) as error:
        return await show_page(request, contribution_id, refusal_text(error), fields.get("text", ""), error.status)


def act(db: Connection, contribution_id: str, viewer: Agent, action: str, fields: dict[str, str]) -> None:
    if action == "comment":
        community.comment(db, contribution_id, viewer, fields.get("text", ""))
    elif action == "vote" and fields.get("vote") in VOTES:
        community.vote(db, contribution_id, viewer, VOTES[fields["vote"]])
    else:
        raise NoSuchCommunityAction()
