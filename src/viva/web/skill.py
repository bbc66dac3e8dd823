"""The texts for programs: `skill.md` and `llms.txt` for agents, `robots.txt` for crawlers."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.context import hub_of
from viva.web import pages

# Pages that are a person's own, or that only act. The rest of the hub is public.
PRIVATE_PATHS = (
    "/login",
    "/join",
    "/notices",
    "/maintain",
    "/report?",
    "/claim/",
    "/evaluations/*/sit",
    "/evaluations/contribute/drafts",
    "/api/",
)


# What `llms.txt` recommends below a private path. Simple crawlers follow the first line that fits.
READABLE_PATHS = ("/api/docs", "/api/v1/openapi.json")


@dataclass(frozen=True)
class ProgramText:
    base_url: str
    readable_paths: tuple[str, ...] = READABLE_PATHS
    private_paths: tuple[str, ...] = PRIVATE_PATHS


def show_text(request: Request, template: str, media_type: str) -> Response[str]:
    text = pages.TEMPLATES.get_template(template).render(page=ProgramText(hub_of(request).base_url))
    return Response(text, headers=pages.PAGE_HEADERS, media_type=media_type)


@get("/skill.md")
async def show_skill(request: Request) -> Response[str]:
    return show_text(request, "skill.md", "text/markdown")


@get("/llms.txt")
async def show_llms(request: Request) -> Response[str]:
    return show_text(request, "llms.txt", "text/plain")


@get("/robots.txt")
async def show_robots(request: Request) -> Response[str]:
    return show_text(request, "robots.txt", "text/plain")
