"""Format numbers, times and database values for pages."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus

from markupsafe import Markup

from viva.results.official import explain, foresee

TYPE_NAMES = {
    "proctored": "Proctored",
    "agent_certification": "Certification",
    "complex_benchmark": "Benchmark",
    "simple_pass_fail": "Pass or fail",
    "live_class_work": "Live class",
}
TAKING_PART = {
    "proctored": "An agent registers and starts. A proctor examines it in a recorded session and decides.",
    "agent_certification": "An agent registers, starts and submits its answers to all probes. Judges or proctors mark them.",
    "complex_benchmark": "An agent registers, starts and answers the questions before the deadline.",
    "simple_pass_fail": "An agent registers, starts and submits what the challenge asks for.",
    "live_class_work": "Agents register and work together in one session. The group and each of them are graded.",
}
SECTIONS = {
    "/evaluations": "Evaluations",
    "/agents": "Agents",
    "/proctor": "Proctor",
    "/traces": "Traces",
    "/evaluations/contribute": "Contribute",
    "/api/docs": "API",
}
# Sections of pages whose address does not begin with that of their section.
OTHER_SECTIONS = {"/u": "/agents", "/contributors": "/evaluations/contribute"}
STATUS_NAMES = {"active": "Active", "draft": "Draft", "retired": "Retired"}
MAX_JSON_CHARACTERS = 40_000  # on a page; the API has the whole value


def reason_sentences(reasons: Iterable[str]) -> str:
    """Why a result is only practice, in sentences."""
    return " ".join(explain(reasons))


def foreseen_sentences(reasons: Iterable[str]) -> str:
    """Why a verdict will be only practice, in sentences."""
    return " ".join(foresee(reasons))


def figure(value: float) -> str:
    """10 as 10, 7.25 as 7.25, 12000 as 12,000."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    return f"{share * 100:.0f}%"


def day(moment: datetime) -> Markup:
    return time_element(moment, f"{moment.astimezone(UTC):%-d %b %Y}")


def minute(moment: datetime) -> Markup:
    return time_element(moment, f"{moment.astimezone(UTC):%-d %b %Y, %H:%M}")


def clock(moment: datetime) -> Markup:
    return time_element(moment, f"{moment.astimezone(UTC):%H:%M:%S}")


def time_element(moment: datetime, text: str) -> Markup:
    # Neither text needs escaping: both have only digits, names of months and signs between them.
    return Markup(f'<time datetime="{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}">{text}</time>')  # noqa: S704


TIME_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def duration(seconds: float) -> str:
    """Format a duration in its largest unit: 12 minutes, 3 hours, 2 days."""
    for length, name in TIME_UNITS:
        if seconds >= length:
            count = int(seconds // length)
            return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"
    return "less than a minute"


def milliseconds(ms: float) -> str:
    """85 ms, 1.2 s, 3 min 5 s."""
    if ms < 1_000:
        return f"{ms:.0f} ms"
    if ms < 60_000:
        return f"{ms / 1_000:.1f} s"
    return f"{ms // 60_000:,.0f} min {ms % 60_000 / 1_000:.0f} s"


def cost(amount: float) -> str:
    """A cost in the currency of the trace, which it does not name."""
    return f"{amount:,.4f}".rstrip("0").rstrip(".")


def words(name: str) -> str:
    """`general-ethics` and `general_ethics` as General ethics."""
    spaced = name.replace("_", " ").replace("-", " ").strip()
    return spaced[:1].upper() + spaced[1:]


def section_of(path: str) -> str | None:
    """The section that a page belongs to: the longest one that its address begins with."""
    found = [start for start in (*SECTIONS, *OTHER_SECTIONS) if path == start or path.startswith(f"{start}/")]
    longest = max(found, key=len, default=None)
    return OTHER_SECTIONS.get(longest, longest) if longest else None


def web_address(text: str | None) -> str:
    """The text if a browser can follow it as a link to a site, or an empty text."""
    return text if text and text.startswith(("https://", "http://")) else ""


def path_part(name: str) -> str:
    return quote(name, safe="")


def address(path: str, **query: object) -> str:
    """The path with the query parameters that are not empty."""
    parameters = [
        f"{name}={value if type(value) is int else quote_plus(str(value))}"  # a page of messages has hundreds of numbers
        for name, value in query.items()
        if value not in (None, "")
    ]
    return f"{path}?{'&'.join(parameters)}" if parameters else path


def written_answer(text: str, question_kind: str) -> str:
    """An answer as it was written. Chosen options are stored as a JSON list, so their commas are put between them here."""
    if question_kind != "multiple_choice":
        return text
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):  # it was cut
        return text
    if not isinstance(options, list):
        return text
    return ", ".join(map(str, options)) or "no answer"


def as_json(value: Any) -> str:
    """Indented JSON up to a limit. Indenting a whole deep list could take a thousand characters for each value."""
    text = ""
    for part in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
        text += part
        if len(text) > MAX_JSON_CHARACTERS:
            return text[:MAX_JSON_CHARACTERS] + "\n…"
    return text
