"""The command `viva doctor`: what is configured, what is reachable, and what is wrong."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

import httpx

from viva import __version__
from viva.agents import store as agents
from viva.config import MIN_SECRET_CHARACTERS, BadSetting, Config, check_network_secret, unknown_settings
from viva.config.places import find_data_dir
from viva.exams import appointments, registering
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import VivaError
from viva.kit.migrating import newest, revision_of
from viva.kit.opening import open_database, sqlite_path
from viva.kit.sqlite_check import find_damage
from viva.sandbox.model import SandboxMissing
from viva.sandbox.running import is_installed
from viva.serving import explain_database_errors, hide_password

LOW_DISK_BYTES = 1 << 30
OLD_JOB_SECONDS = 600  # a job that waits longer has no worker
CONNECT_TIMEOUT_SECONDS = 5
ANYONE_EXAMINES = (
    "Every account examines officially, as on a machine of one's own. If others reach this hub through a proxy, "
    "set VIVA_BASE_URL or VIVA_PROCTORS=qualified."
)


class Diagnosis(NamedTuple):
    """One line of the report. `wrong` makes the command fail, `look` does not."""

    level: Literal["ok", "look", "wrong"]
    subject: str
    sentence: str


def diagnose(environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Check the settings first, then everything that they name. Nothing is written, and nothing is migrated."""
    yield Diagnosis("ok", "version", f"Viva {__version__}")
    for sentence in unknown_settings(environment):
        yield Diagnosis("wrong", "settings", sentence)
    try:
        config = Config.from_environment(add_secret(environment))
        check_network_secret(config, bool(environment.get("VIVA_SECRET")))
    except BadSetting as error:
        yield Diagnosis("wrong", "settings", str(error))
        return
    yield from check_settings(config)
    yield check_sandbox()
    for subject, folder in config.folders.items():
        yield check_folder(f"{subject} folder", folder)
    yield from check_database(config)
    yield from check_services(config)


def add_secret(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings with a secret, so that reading them creates none."""
    has_one = environment.get("VIVA_SECRET") or (find_data_dir(environment) / "secret").exists()
    return dict(environment) if has_one else {**environment, "VIVA_SECRET": "0" * MIN_SECRET_CHARACTERS}


def check_settings(config: Config) -> Iterator[Diagnosis]:
    yield Diagnosis("ok", "address", f"{config.base_url}, listening on {config.host} port {config.port}")
    for folder in config.sip_folders:
        if not folder.is_dir():
            yield Diagnosis("look", "SIPs", f"{folder} does not exist yet; it is created with the first own SIP.")
    if config.proctors == "anyone":
        yield Diagnosis("ok", "proctors", ANYONE_EXAMINES)


def check_sandbox() -> Diagnosis:
    if is_installed():
        return Diagnosis("ok", "sandbox", "Contributed code can run.")
    return Diagnosis("look", "sandbox", f"Evaluations with code of their own are refused. {SandboxMissing()}")


def check_folder(subject: str, folder: Path) -> Diagnosis:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK):
        return Diagnosis("wrong", subject, f"{folder} cannot be written by this user.")
    free = shutil.disk_usage(nearest).free
    level: Literal["ok", "look"] = "ok" if free > LOW_DISK_BYTES else "look"
    return Diagnosis(level, subject, f"{folder}, {free / (1 << 30):.1f} GiB free")


def check_database(config: Config) -> Iterator[Diagnosis]:
    name = hide_password(config.database_url)
    try:
        with explain_database_errors(config.database_url):
            revision = revision_of(config.database_url)
    except (VivaError, BadSetting) as error:
        yield Diagnosis("wrong", "database", str(error))
        return
    if revision is None:
        yield Diagnosis("look", "database", f"{name} has no hub yet; `viva serve` creates it.")
        return
    file = sqlite_path(config.database_url)
    damage = find_damage(file) if file else None
    if damage:
        yield Diagnosis("wrong", "database", f"{name} is damaged: {damage}. Restore a backup with `viva restore FILE`.")
        return
    yield describe_schema(name, revision)
    if revision == newest():
        with closing(open_database(config.database_url)) as database:
            yield from check_hub(config, database)


def describe_schema(name: str, revision: str) -> Diagnosis:
    if revision > newest():
        return Diagnosis("wrong", "database", f"{name} was written by a newer Viva (schema {revision}).")
    if revision < newest():
        return Diagnosis("look", "database", f"{name} has schema {revision}; the next start updates it to {newest()}.")
    return Diagnosis("ok", "database", f"{name}, schema {revision}")


def check_hub(config: Config, database: Database) -> Iterator[Diagnosis]:
    """What the hub itself says: who runs it, which evaluations are broken, and whether its jobs are done."""
    if not database.read_now(lambda db: agents.list_maintainers(db, 1)):
        yield Diagnosis("look", "maintainers", "There is none. Make one with `viva maintainer NAME`.")
    elif config.proctors == "qualified":
        yield database.read_now(check_proctors)
    for evaluation, reason in database.read_now(registering.list_broken):
        yield Diagnosis("wrong", f"SIP-{evaluation.sip}", f"{evaluation.id} cannot be taken: {reason}")
    yield database.read_now(check_jobs)


def check_proctors(db: Connection) -> Diagnosis:
    named = appointments.list_appointments(db)
    count = len({each.agent_id for each in named})
    if not named:
        return Diagnosis(
            "look", "proctors", "Nobody is appointed, so only maintainers examine officially: `viva proctor NAME`."
        )
    return Diagnosis("ok", "proctors", f"qualified; {count} {'agent is' if count == 1 else 'agents are'} appointed")


def check_jobs(db: Connection) -> Diagnosis:
    oldest = queue.find_oldest_waiting(db)
    age = int((now() - oldest.created_at).total_seconds()) if oldest else 0
    if age > OLD_JOB_SECONDS:
        return Diagnosis("wrong", "jobs", f"A job has waited for {age // 60} minutes. Is a server or a worker running?")
    return Diagnosis("ok", "jobs", "none waits" if oldest is None else f"the oldest has waited for {age} s")


def check_services(config: Config) -> Iterator[Diagnosis]:
    judge = config.judge_settings.get("VIVA_JUDGE_URL")
    checks: dict[str, tuple[str | None, Callable[[], str]]] = {
        "judge": (judge, lambda: reach(judge or "")),
        "mail": (config.smtp_url or None, lambda: reach_mail_server(config)),
        "GitHub": (
            config.github.url if config.github else None,
            lambda: reach(config.github.url if config.github else ""),
        ),
    }
    for subject, (setting, check) in checks.items():
        if setting is None:
            yield Diagnosis("ok", subject, "not configured")
            continue
        try:
            yield Diagnosis("ok", subject, check())
        except (OSError, httpx.HTTPError, VivaError) as error:
            yield Diagnosis("wrong", subject, f"It cannot be reached: {error}.")


def reach(urls: str) -> str:
    """Whether something answers there; its status does not matter, because no key is sent."""
    for url in urls.replace(",", " ").split():
        httpx.get(url, timeout=CONNECT_TIMEOUT_SECONDS, trust_env=False)
    return "answers"


def reach_mail_server(config: Config) -> str:
    import socket

    from viva.notices.smtp import read_smtp_url

    server = read_smtp_url(config.smtp_url)
    with socket.create_connection((server.host, server.port), CONNECT_TIMEOUT_SECONDS):
        return "answers"
