"""What a sitting leads to, and what can keep it from an end."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from viva.kit.errors import Invalid, Unavailable

SittingState = Literal["passed", "failed", "undecided", "waiting", "withdrawn"]
NOBODY_MARKS = "Somebody has to mark it, and there is no judge: set VIVA_JUDGE_URL, or sit on a hub with proctors."
WAITS_FOR_PROCTOR = "It waits for a proctor of the hub; the verdict will be at {url}"
MAX_REASONS = 20


class HubSilent(Unavailable):
    """The hub does not answer."""


class StrangeHub(Unavailable):
    """The hub's answer has another form than this program knows. One of the two may be too old."""


class BadHubAddress(Invalid):
    """This is no address of a hub."""


class KeyNotKnown(Invalid):
    """The hub does not know a key that is kept for it."""


class UnsafeKeyFile(Invalid):
    """The file with keys can be read by other users of this machine."""


class SittingOutcome(NamedTuple):
    """What a sitting led to, and why. `fault` is that of an agent which stopped answering."""

    state: SittingState
    reasons: list[str]
    score: float | None = None
    max_score: float | None = None
    result_id: str | None = None
    session_id: str | None = None
    is_official: bool | None = None
    fault: str | None = None


class Watcher(Protocol):
    """Whoever follows an exam while it goes on."""

    def report(self, sentence: str) -> None:
        """How far the exam is."""

    def show(self, speaker: str, text: str) -> None:
        """What was said."""


class SilentWatcher:
    """Follows nothing."""

    def report(self, sentence: str) -> None:
        """Nobody reads it."""

    def show(self, speaker: str, text: str) -> None:
        """Nobody reads it."""


def outcome_of_result(result: Mapping[str, Any]) -> SittingOutcome:
    data = result.get("result_data") or {}
    return SittingOutcome(
        state_of_result(result, data),
        reasons_in(result, data),
        result["score"],
        result["max_score"],
        result["id"],
        result.get("session_id"),
        result.get("official"),
    )


def state_of_result(result: Mapping[str, Any], data: Mapping[str, Any]) -> SittingState:
    if data.get("is_undecided"):
        return "undecided"
    return "passed" if result["passed"] else "failed"


def reasons_in(result: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    """The criteria that were not met or lost marks, and otherwise what the proctor wrote."""
    criteria = [each for each in data.get("criteria") or () if isinstance(each, dict)]
    lost = [each for each in criteria if not each.get("met") or each.get("mark") != each.get("max")]
    sentences = [f"{each.get('id')}: {each.get('reason') or each.get('note') or 'not met'}" for each in lost]
    feedback = result.get("proctor_feedback")
    return first_reasons(sentences or ([feedback] if feedback else []))


def first_reasons(sentences: Sequence[str]) -> list[str]:
    rest = len(sentences) - MAX_REASONS
    return [*sentences[:MAX_REASONS], *([f"And {rest} more."] if rest > 0 else [])]
