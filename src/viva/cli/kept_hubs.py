"""The hub in which `viva sit --keep` keeps its results: the one that `viva serve` serves with the same settings."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec.structs import replace

from viva import serving
from viva.config import BadSetting, Config, find_database_url
from viva.config.places import SECRET_FILE, find_data_dir
from viva.embedded import EmbeddedHub, open_with_secret, run_hub
from viva.kit import signing_keys
from viva.kit.migrating import has_schema
from viva.kit.opening import open_database
from viva.kit.signing import derive_key
from viva.kit.signing_keys import SigningKey
from viva.served_hubs import ServedHub, list_served

WRONG_SETTINGS = (
    "The hub of {url} signs with another secret, so nothing was changed. Set VIVA_SECRET and VIVA_DATA_DIR as they are "
    "for that hub, or name the hub with --hub."
)
OTHER_HUB = (
    "The hub that is served now keeps its results in {served}, and these settings name {configured}, so nothing was kept. "
    "Set VIVA_DATABASE_URL as it is for that hub, or name the hub: --hub {address}."
)


@contextmanager
def open_kept_hub() -> Iterator[EmbeddedHub]:
    """Run the configured hub in this process, beside the one that serves it, if there is one."""
    config = read_kept_config()
    if not may_be_served(config.database_url):
        serving.prepare(demo=False)
    with open_with_secret(config) as database, run_hub(config, database) as hub:
        yield hub


def read_kept_config() -> Config:
    """The settings of the environment, unless they are those of another hub. The demo's agents take no part."""
    url = find_database_url(os.environ)
    served = find_served(url)
    key = find_signing_key(url)
    if key and not has_secret():  # reading the settings would make a new secret
        raise BadSetting(WRONG_SETTINGS.format(url=serving.hide_password(url)))
    config = Config.from_environment()
    if key and derive_key(config.secret, key.number).id != key.id:
        raise BadSetting(WRONG_SETTINGS.format(url=serving.hide_password(url)))
    kept = replace(config, is_demo=False, log=config.log._replace(level="warning"))
    return replace(kept, base_url=served.base_url, proctors=served.proctors) if served else kept


def find_served(url: str) -> ServedHub | None:
    """The hub of this database as it is served now: options of `viva serve` may have changed its address and its rules."""
    hubs = {hub.database: hub for hub in list_served(find_data_dir(os.environ))}
    configured = serving.name_database(url)
    if hubs and configured not in hubs and not os.environ.get("VIVA_DATABASE_URL"):
        served = next(iter(hubs.values()))
        raise BadSetting(OTHER_HUB.format(served=served.database, configured=configured, address=served.base_url))
    return hubs.get(configured)


def may_be_served(url: str) -> bool:
    """Whether another process may serve the hub. Its catalogue is then left to that one, whose settings may differ."""
    if url.startswith("sqlite:"):
        return serving.is_served_from_sqlite(url)
    return find_signing_key(url) is not None


def find_signing_key(url: str) -> SigningKey | None:
    """The key that the hub signs with; None if it has none yet. A hub of an earlier release is migrated."""
    with serving.explain_database_errors(url):
        if not has_schema(url):
            return None
    serving.migrate_schema(url)
    with closing(open_database(url)) as database:
        return database.read_now(signing_keys.find_newest)


def has_secret() -> bool:
    return bool(os.environ.get("VIVA_SECRET")) or Path(find_data_dir(os.environ), SECRET_FILE).exists()
