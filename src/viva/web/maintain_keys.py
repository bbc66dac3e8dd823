"""The page on which maintainers see the signing keys of the hub, and make a new one."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.kit import signing_keys
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.kit.signing_keys import SigningKey
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import word
from viva.web.wording import address

KEYS_PATH = f"{MAINTAIN_PATH}/keys"


class NewKeyNotConfirmed(Invalid):
    """Tick that the hub is to sign with a new key."""


@dataclass(frozen=True)
class SigningKeysPage:
    keys: list[SigningKey]
    notice: str = ""
    fault: str = ""


@get(KEYS_PATH)
async def list_signing_keys(request: Request) -> Response[str] | Redirect:
    notice = "The hub signs with a new key." if word(request, "made") else ""
    return await show_to_maintainer(
        request, "maintain/keys.html", lambda db: SigningKeysPage(signing_keys.list_keys(db), notice)
    )


def make_key(db: Connection, form: MaintainForm) -> str:
    if not form.field("confirmed"):
        raise NewKeyNotConfirmed()
    signing_keys.rotate(db)
    return address(KEYS_PATH, made=1)


@post(KEYS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def make_signing_key(request: Request) -> Response[str] | Redirect:
    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        return await show_to_maintainer(
            request,
            "maintain/keys.html",
            lambda db: SigningKeysPage(signing_keys.list_keys(db), fault=fault),
            status,
        )

    return await act_as_maintainer(request, make_key, show_refusal)
