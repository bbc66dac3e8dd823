"""What the hub offers and uses over the network: the limits of its server, its log, and GitHub."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import cast, get_args
from urllib.parse import urlsplit

from viva.config.addresses import GITHUB_URL, check_github_url, is_loopback
from viva.config.reading import BadSetting, read_choice, read_number, read_seconds, split_list
from viva.contributions.destination import GitHub
from viva.exams.model import ProctorPolicy
from viva.kit.http_limits import HttpLimits
from viva.kit.logs import LogForm, LogSettings
from viva.kit.proxies import Proxies

GITHUB_REPOSITORY_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9_.-]{1,100}")
KIB = 1024
LOG_LEVELS = ("debug", "info", "warning", "error")
# Log lines never contain API keys or the tokens of claim links and of confirmations.
SECRETS = re.compile(r"viva_[A-Za-z0-9_-]{40,}|(?<=/claim/)[^\s?\"']+|(?<=/confirm/)[^\s?\"']+")


def read_http_limits(environment: dict[str, str]) -> HttpLimits:
    return HttpLimits(
        header_bytes=read_number(environment, "VIVA_HEADER_BYTES", 32 * KIB, minimum=KIB),
        request_seconds=read_seconds(environment, "VIVA_REQUEST_SECONDS", 30),
        connections=read_number(environment, "VIVA_CONNECTIONS", 128),
        proxies=Proxies(tuple(map(read_proxy, split_proxies(environment.get("VIVA_PROXIES") or "127.0.0.1")))),
    )


def split_proxies(value: str) -> list[str]:
    return [] if value.strip().lower() == "none" else split_list(value)


def read_proxy(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise BadSetting(f"VIVA_PROXIES lists addresses or networks such as 10.0.0.0/8, not {text!r}.") from None


def read_log_settings(environment: dict[str, str]) -> LogSettings:
    form = read_choice(environment, "VIVA_LOG", "text", get_args(LogForm))
    level = read_choice(environment, "VIVA_LOG_LEVEL", "info", LOG_LEVELS)
    return LogSettings(cast(LogForm, form), level, SECRETS)


def read_proctors(environment: dict[str, str], host: str, base_url: str) -> ProctorPolicy:
    """Whose verdict is official. A hub is public if it listens to others, or if a proxy gives it a public address."""
    is_public = not is_loopback(host) or bool(base_url and not is_loopback(urlsplit(base_url).hostname or ""))
    default = "qualified" if is_public else "anyone"
    return cast(ProctorPolicy, read_choice(environment, "VIVA_PROCTORS", default, get_args(ProctorPolicy)))


def read_github(environment: Mapping[str, str]) -> GitHub | None:
    repository = environment.get("VIVA_GITHUB_REPO", "").strip()
    token = environment.get("VIVA_GITHUB_TOKEN", "").strip()
    if not repository and not token:
        return None
    if not repository or not token:
        raise BadSetting("To open pull requests, set both VIVA_GITHUB_REPO and VIVA_GITHUB_TOKEN.")
    if not GITHUB_REPOSITORY_PATTERN.fullmatch(repository):
        raise BadSetting(f"VIVA_GITHUB_REPO has to be owner/name, not {repository!r}.")
    if not token.isascii() or not token.isprintable():  # a header allows nothing else
        raise BadSetting("VIVA_GITHUB_TOKEN has to consist of printable ASCII characters.")
    return GitHub(check_github_url(environment.get("VIVA_GITHUB_URL") or GITHUB_URL), repository, token)
