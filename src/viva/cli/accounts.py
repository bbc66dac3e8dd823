"""The account with which a command uses a hub."""

import os

from viva.client.client import Client
from viva.config import BadSetting


def open_client(url: str | None, name: str | None) -> Client:
    """The hub, as the account of VIVA_KEY sees it, or the one called `name`, which is registered at its first use."""
    if os.environ.get("VIVA_KEY"):
        return Client(url)
    if name is None:
        raise BadSetting("Which account is it? Give --name, or the key of your account as VIVA_KEY.")
    return Client.register_or_load(name, url=url)
