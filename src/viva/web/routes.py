"""Every page's address."""

from litestar import Request, Router, get
from litestar.response import Redirect

from viva.web import assets, catalogue, claims, docs, evaluations, login, proctor, results, skill


@get("/")
async def show_home(request: Request) -> Redirect:
    return Redirect("/evaluations", status_code=302)


router = Router(
    "/",
    route_handlers=[
        show_home,
        catalogue.list_evaluations,
        evaluations.show_evaluation,
        results.show_result,
        claims.show_claim,
        claims.confirm_claim,
        login.show_login,
        login.log_in,
        login.log_out,
        proctor.list_waiting,
        proctor.show_form,
        proctor.mark,
        docs.show_docs,
        skill.show_skill,
        assets.show_asset,
    ],
    include_in_schema=False,
)
