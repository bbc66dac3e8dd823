"""Certificates of passed results: a page to print, and a page that verifies a certificate."""

import hmac
from base64 import b32encode
from datetime import UTC
from hashlib import sha256
from typing import NamedTuple

import msgspec
from litestar import Request, Response, get

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.evaluations.model import Evaluation
from viva.evaluations.published_digest import publish_digest
from viva.exams import visibility
from viva.exams.certifying import Certificate, get_certificate
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.results.model import NamedResult, Result
from viva.web import pages
from viva.web.wording import path_part

CERTIFICATE_CODE_LETTERS = 16  # of five bits each: too many to guess, few enough to type from paper


class WrongCode(NotFound):
    """This hub has not issued this certificate: the code does not match the result. Check that the code is copied correctly."""


class CertificatePage(NamedTuple):
    """A certificate with its code for paper."""

    certificate: Certificate
    code: str
    link: str  # of the page that verifies it
    download: str  # of the credential
    evaluation_digest: str | None  # keyed
    evaluation_digest_key: str | None

    @property
    def result(self) -> NamedResult:
        return self.certificate.result

    @property
    def evaluation(self) -> Evaluation:
        return self.certificate.evaluation

    @property
    def evaluation_name(self) -> str:
        return self.certificate.evaluation_name


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
    return page_of(hub, get_certificate(db, result_id, viewer))


def verified_page(db: Connection, hub: HubContext, result_id: str, code: str, viewer: Agent | None) -> CertificatePage:
    result = visibility.get_result(db, result_id, viewer).result
    if not (result.passed and result.official and is_code_of(hub.secret, result, code)):
        raise WrongCode()
    return page_of(hub, get_certificate(db, result_id, viewer))


def page_of(hub: HubContext, certificate: Certificate) -> CertificatePage:
    result = certificate.result
    code = code_of(hub.secret, result)
    link = f"{hub.base_url}/certificates/{path_part(result.id)}/{code}"
    download = f"/api/v1/results/{path_part(result.id)}/certificate"
    digest = publish_digest(hub.secret, result.evaluation_digest)
    return CertificatePage(certificate, code, link, download, **digest)


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
