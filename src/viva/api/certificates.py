"""The route of certificates as JSON."""

from typing import Any

from litestar import Router

from viva.agents.model import Agent
from viva.api.routing import get
from viva.context import HubContext
from viva.exams.certifying import NotCertified, NotOfficial, ResultChanged, get_certificate, issue
from viva.kit.db import Connection
from viva.kit.signing_keys import NoSigningKey
from viva.results.store import NoSuchResult


@get("/{result_id:str}/certificate", NoSuchResult, NotCertified, NotOfficial, ResultChanged, NoSigningKey)
def show_certificate(db: Connection, viewer: Agent | None, hub: HubContext, result_id: str) -> dict[str, Any]:
    """Show the certificate of a passed result: an Open Badges 3.0 credential with a proof of the suite eddsa-jcs-2022."""
    return issue(db, hub, get_certificate(db, result_id, viewer))


router = Router("/results", route_handlers=[show_certificate])
