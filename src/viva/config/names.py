"""The names of all settings, and what the hub says about a variable that is not one."""

from collections.abc import Iterator, Mapping

# Every setting. Any other variable that begins with VIVA_ is a mistake.
SETTINGS = (
    "VIVA_BASE_URL",
    "VIVA_BODY_BYTES",
    "VIVA_CONNECTIONS",
    "VIVA_DATABASE_URL",
    "VIVA_DATA_DIR",
    "VIVA_DEMO",
    "VIVA_EVENT_DAYS",
    "VIVA_GITHUB_REPO",
    "VIVA_GITHUB_TOKEN",
    "VIVA_GITHUB_URL",
    "VIVA_HEADER_BYTES",
    "VIVA_HOST",
    "VIVA_HUB",
    "VIVA_JUDGE_CALLS",
    "VIVA_JUDGE_KEY",
    "VIVA_JUDGE_MODEL",
    "VIVA_JUDGE_SECONDS",
    "VIVA_JUDGE_URL",
    "VIVA_KEY",
    "VIVA_LEASE_SECONDS",
    "VIVA_LOG",
    "VIVA_LOG_LEVEL",
    "VIVA_MAIL_FROM",
    "VIVA_MESSAGE_BYTES",
    "VIVA_NO_WORKER",
    "VIVA_PORT",
    "VIVA_PROCTORS",
    "VIVA_PROOF_HOSTS",
    "VIVA_PROXIES",
    "VIVA_RATE_LIMIT",
    "VIVA_REDACT",
    "VIVA_REGISTRATION",
    "VIVA_REQUEST_SECONDS",
    "VIVA_SECRET",
    "VIVA_SIPS_DIR",
    "VIVA_SIPS_REPO",
    "VIVA_SMTP_URL",
    "VIVA_TRACE_DAYS",
    "VIVA_WEBHOOK_HOSTS",
)


def unknown_settings(environment: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each variable that looks like a setting but is not one."""
    for name in sorted(environment):
        if name.startswith("VIVA_") and name not in SETTINGS:
            from difflib import get_close_matches  # imported late, because it is rarely needed

            endings = [setting.removeprefix("VIVA_") for setting in SETTINGS]  # all begin alike
            meant = get_close_matches(name.removeprefix("VIVA_"), endings, n=1)
            yield f"{name} is not a setting and is ignored." + (f" Did you mean VIVA_{meant[0]}?" if meant else "")
