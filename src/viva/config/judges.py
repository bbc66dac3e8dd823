"""The judges of a hub: models behind OpenAI-compatible endpoints."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from viva.config.addresses import is_address
from viva.config.names import SETTINGS
from viva.config.reading import BadSetting, read_number, read_seconds, split_list

if TYPE_CHECKING:
    from viva.judging.http_judge import HttpJudge

NO_JUDGE = "To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL to an OpenAI-compatible endpoint."


def configured_judge(environment: dict[str, str] | None = None) -> "HttpJudge":
    """The first judge of the VIVA_JUDGE_… settings."""
    judges = read_judges(environment, retries=0)
    if not judges:
        raise BadSetting(NO_JUDGE)
    return judges[0]


def configured_judges(environment: dict[str, str] | None = None) -> "list[HttpJudge]":
    """Every judge of the VIVA_JUDGE_… settings. A judge is asked again after a reply that is not a valid answer."""
    return read_judges(environment, retries=2)


def read_judge_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings of all judges, as text."""
    return {name: environment[name] for name in SETTINGS if "_JUDGE_" in name and name in environment}


def read_judges(environment: dict[str, str] | None, retries: int) -> "list[HttpJudge]":
    environment = dict(os.environ) if environment is None else environment
    models = split_list(environment.get("VIVA_JUDGE_MODEL", ""))
    urls = split_list(environment.get("VIVA_JUDGE_URL", ""))
    if not models and not urls:
        return []
    if not models or not urls:
        raise BadSetting(NO_JUDGE)
    urls = one_per_model(models, urls, "VIVA_JUDGE_URL")
    key = environment.get("VIVA_JUDGE_KEY", "").strip()
    is_broken = len(models) == 1 and not key.isprintable()  # one key with a line break is a mistake, not a list
    keys = one_per_model(models, [key] if is_broken else split_list(key), "VIVA_JUDGE_KEY")
    check_judges(urls, keys)
    from viva.judging.http_judge import JUDGE_TIMEOUT_SECONDS, HttpJudge  # imported late: it is slow to import
    from viva.judging.model import Budget

    budget = Budget(calls=read_number(environment, "VIVA_JUDGE_CALLS", Budget().calls))
    timeout_seconds = read_seconds(environment, "VIVA_JUDGE_SECONDS", JUDGE_TIMEOUT_SECONDS)
    return [
        HttpJudge(url, model, key, budget=budget, timeout_seconds=timeout_seconds, invalid_reply_retries=retries)
        for url, model, key in zip(urls, models, keys, strict=True)
    ]


def one_per_model(models: list[str], values: list[str], name: str) -> list[str]:
    """One value for each model. A single value, or none, applies to all models."""
    if len(values) not in (0, 1, len(models)):
        raise BadSetting(
            f"{name} has {len(values)} parts, but VIVA_JUDGE_MODEL has {len(models)}. Give one, or one for each model."
        )
    return values if len(values) == len(models) else (values or [""]) * len(models)


def check_judges(urls: list[str], keys: list[str]) -> None:
    """Check addresses and keys now, before the first question to a judge."""
    if not all(url.lower().startswith(("http://", "https://")) for url in urls):
        raise BadSetting("VIVA_JUDGE_URL has to begin with http:// or https://.")
    if not all(map(is_address, urls)):
        raise BadSetting("VIVA_JUDGE_URL has to be an address such as http://127.0.0.1:11434/v1.")
    if not all(key.isascii() and key.isprintable() for key in keys):  # a header allows nothing else
        raise BadSetting("VIVA_JUDGE_KEY has to consist of printable ASCII characters.")
