"""Certificates of passed results: a page to print, and a page that verifies a certificate."""

import hmac
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256

import msgspec
from litestar import Request, Response, get

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import visibility
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.results.model import NamedResult, Result
from viva.web import pages
from viva.web.verdicts import judges_of
from viva.web.wording import path_part

CERTIFICATE_CODE_LETTERS = 16  # of five bits each: too many to guess, few enough to type from paper


class NotCertified(NotFound):
    """This result was not passed. Only a passed result has a certificate."""


class WrongCode(NotFound):
    """This hub has not issued this certificate: the code does not match the result. Check that the code is copied correctly."""


@dataclass(frozen=True)
class CertificatePage:
    result: NamedResult
    evaluation: Evaluation  # as it was in the result's version
    judges: list[str]
    code: str
    link: str  # of the page that verifies it

    @property
    def evaluation_name(self) -> str:
        return self.evaluation.title or self.evaluation.name


@get("/evaluations/result/{result_id:str}/certificate")
async def show_certificate(request: Request, result_id: str) -> Response[str]:
    hub = hub_of(request)
    return await pages.show(
        request,
        "results/certificate.html",
        lambda db: certificate_page(db, hub, result_id, pages.frame_of(request).viewer),
    )


@get("/certificates/{result_id:str}/{code:str}")
async def verify_certificate(request: Request, result_id: str, code: str) -> Response[str]:
    hub = hub_of(request)
    return await pages.show(
        request,
        "results/verified.html",
        lambda db: verified_page(db, hub, result_id, code, pages.frame_of(request).viewer),
    )


def certificate_page(db: Connection, hub: HubContext, result_id: str, viewer: Agent | None) -> CertificatePage:
    result, current = visibility.get_result(db, result_id, viewer)
    if not result.passed:
        raise NotCertified()
    return page_of(db, hub, result, current)


def verified_page(db: Connection, hub: HubContext, result_id: str, code: str, viewer: Agent | None) -> CertificatePage:
    result, current = visibility.get_result(db, result_id, viewer)
    if not (result.passed and is_code_of(hub.secret, result, code)):
        raise WrongCode()
    return page_of(db, hub, result, current)


def page_of(db: Connection, hub: HubContext, result: NamedResult, current: Evaluation) -> CertificatePage:
    evaluation = catalogue.at_known_version(db, current, result.evaluation_version)
    code = code_of(hub.secret, result)
    link = f"{hub.base_url}/certificates/{path_part(result.id)}/{code}"
    return CertificatePage(result, evaluation, judges_of(result), code, link)


def is_code_of(secret: bytes, result: Result, code: str) -> bool:
    """Compare in constant time. Hyphens, spaces and letter case do not matter."""
    typed = code.replace("-", "").replace(" ", "").upper()
    expected = code_of(secret, result).replace("-", "")
    return hmac.compare_digest(typed.encode(errors="replace"), expected.encode())


def code_of(secret: bytes, result: Result) -> str:
    """Sign the facts with the hub's secret. The name is left out, because a deleted agent has none."""
    facts = [
        "viva certificate",
        result.id,
        result.agent_id,
        result.evaluation_id,
        result.evaluation_version,
        result.evaluation_digest or "",
        result.passed,
        result.score,
        result.max_score,
        result.completed_at.astimezone(UTC).isoformat(),
    ]
    letters = b32encode(hmac.digest(secret, msgspec.json.encode(facts), sha256)).decode()[:CERTIFICATE_CODE_LETTERS]
    return "-".join(letters[at : at + 4] for at in range(0, CERTIFICATE_CODE_LETTERS, 4))
