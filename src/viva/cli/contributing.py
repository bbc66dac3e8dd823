"""The work of `viva sip contribute`: a SIP file becomes a contribution that waits for review on a hub."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from viva.cli.accounts import open_client
from viva.cli.sip_reading import read_sip_file
from viva.client.client import Client
from viva.client.retrying import HubError, HubUnreachable
from viva.config import BadSetting
from viva.contributions.documents import proposal_of
from viva.evaluations.handler_code import read_handler_code


class ContributedFile(NamedTuple):
    """A file on its way: where its contribution is, or what the hub finds wrong with it. Then nothing is left there."""

    contribution_id: str
    url: str
    faults: list[dict[str, Any]]

    @property
    def lines(self) -> Iterator[str]:
        if not self.faults:
            yield f"Submitted. A maintainer reviews it; you follow it at {self.url}"
            return
        yield "The hub did not take it:"
        for fault in self.faults:
            yield f"  {fault.get('field')}: {fault.get('message')} {fault.get('suggestion') or ''}".rstrip()


def contribute_file(path: Path, url: str | None, name: str | None) -> ContributedFile:
    body = body_of(path)
    try:
        with open_client(url, name) as client:
            draft = client.contributions.create_contribution(**body)
            return submit_or_delete(client, draft.id)
    except HubError as error:
        raise BadSetting(f"The hub refuses: {error.detail}") from None
    except HubUnreachable as error:
        raise BadSetting(str(error)) from None


def body_of(path: Path) -> dict[str, Any]:
    sip = read_sip_file(path)
    proposal = msgspec.structs.replace(proposal_of(sip), executable_code=read_handler_code(path, sip))
    body: dict[str, Any] = msgspec.to_builtins(proposal)
    return body


def submit_or_delete(client: Client, contribution_id: str) -> ContributedFile:
    """Submit the draft. If it has faults, delete it: the file is what its author goes on with."""
    page = f"{client.runner.http.base_url}".rstrip("/") + f"/evaluations/contribute/{contribution_id}/status"
    try:
        client.contributions.submit_contribution(contribution_id)
    except HubError as error:
        client.contributions.delete_contribution(contribution_id)
        if not error.errors:
            raise
        return ContributedFile(contribution_id, page, list(error.errors))
    return ContributedFile(contribution_id, page, [])
