"""Reading one setting: a number, a time, a choice or a list. A wrong one is an error that names it."""

import re
import sys

HOST_LIST_PATTERN = re.compile(r"\*|([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
MAX_TIMEOUT_SECONDS = 3_600  # a judge or a request that takes longer does not work
MAX_KEPT_DAYS = 36_500  # a century; a date beyond the calendar cannot be computed


class BadSetting(ValueError):
    """A setting cannot be used. The message names it."""


def read_number(
    environment: dict[str, str], name: str, default: int, minimum: int = 1, maximum: int = sys.maxsize
) -> int:
    try:
        value = int(environment.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a whole number, not {environment[name]!r}.") from None
    if not minimum <= value <= maximum:
        limits = f"from {minimum} to {maximum}" if maximum < sys.maxsize else f"of at least {minimum}"
        raise BadSetting(f"{name} has to be a number {limits}, not {value}.")
    return value


def read_days(environment: dict[str, str], name: str) -> int | None:
    """For so many days something is kept; None if it is kept for ever."""
    return read_number(environment, name, 0, maximum=MAX_KEPT_DAYS) if environment.get(name) else None


def read_seconds(environment: dict[str, str], name: str, default: float) -> float:
    try:
        value = float(environment.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a number of seconds, not {environment[name]!r}.") from None
    if not 0 < value <= MAX_TIMEOUT_SECONDS:  # this also refuses NaN
        raise BadSetting(f"{name} has to be more than 0 and at most {MAX_TIMEOUT_SECONDS} seconds, not {value:g}.")
    return value


def read_choice(environment: dict[str, str], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = (environment.get(name) or default).lower()
    if value not in choices:
        raise BadSetting(f"{name} has to be one of {', '.join(choices)}, not {environment[name]!r}.")
    return value


def read_hosts(environment: dict[str, str], name: str) -> tuple[str, ...]:
    """The hosts in lower case, as addresses have them."""
    hosts = tuple(host.lower() for host in split_list(environment.get(name, "")))
    for host in hosts:
        if not HOST_LIST_PATTERN.fullmatch(host):
            raise BadSetting(f"{name} lists hosts such as example.org or example.org:8080, or *, not {host!r}.")
    return hosts


def split_list(value: str) -> list[str]:
    """The parts of a setting, separated by commas or white space."""
    return value.replace(",", " ").split()
