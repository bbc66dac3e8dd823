"""Where a hub has its files: data, database, SIPs and its secret."""

import secrets
from collections.abc import Mapping
from pathlib import Path

from viva.config.addresses import check_database_url
from viva.config.reading import BadSetting
from viva.kit.files import write_once

SHIPPED_SIPS = Path(__file__).parent.parent / "sips"
SECRET_FILE = "secret"  # noqa: S105 - its name in the data folder


def find_data_dir(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("VIVA_DATA_DIR") or "~/.local/share/viva").expanduser().absolute()


def find_database_url(environment: Mapping[str, str]) -> str:
    return check_database_url(
        environment.get("VIVA_DATABASE_URL") or f"sqlite:///{find_data_dir(environment) / 'viva.db'}"
    )


def find_sips_dir(environment: Mapping[str, str]) -> Path | None:
    if not environment.get("VIVA_SIPS_DIR"):
        return None
    folder = Path(environment["VIVA_SIPS_DIR"]).absolute()
    if not folder.is_dir():
        raise BadSetting(f"VIVA_SIPS_DIR has to be a folder, but {folder} is not one.")
    return folder


def find_sips_repository(environment: Mapping[str, str]) -> Path | None:
    if not environment.get("VIVA_SIPS_REPO"):
        return None
    folder = Path(environment["VIVA_SIPS_REPO"]).absolute()
    if not (folder / ".git").exists() and not (folder / "HEAD").is_file():
        raise BadSetting(f"VIVA_SIPS_REPO has to be a git repository, but {folder} is not one.")
    return folder


def find_secret(environment: Mapping[str, str]) -> bytes:
    """The secret of the configured hub; empty if there is none here. None is created."""
    if environment.get("VIVA_SECRET"):
        return environment["VIVA_SECRET"].encode()
    try:
        return (find_data_dir(environment) / SECRET_FILE).read_text().strip().encode()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise BadSetting(f"The hub's secret cannot be read: {error.strerror}.") from error


def load_secret(data_dir: Path) -> bytes:
    """The secret of this hub, created at the first start. Two processes that start together get the same one."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        return read_or_create_secret(data_dir)
    except OSError as error:
        raise BadSetting(f"The data folder {data_dir} (VIVA_DATA_DIR) cannot be used: {error.strerror}.") from error


def read_or_create_secret(data_dir: Path) -> bytes:
    path = data_dir / SECRET_FILE
    if not path.exists():
        write_once(path, secrets.token_hex(32))
    return path.read_text().strip().encode()
