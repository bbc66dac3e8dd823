"""A baseline: the scores and issues of known runs, and what got worse since."""

from collections import Counter
from pathlib import Path

import msgspec

from viva.engine.analysis import Analysis
from viva.kit.errors import VivaError
from viva.kit.files import open_whole
from viva.reports.words import LOWER_IS_BETTER, SESSION_SCORES, score

SCORE_TOLERANCE = 0.01  # a score that falls by less did not get worse


class BadBaseline(VivaError):
    """The baseline cannot be read."""


class RunSummary(msgspec.Struct, frozen=True):
    """What a baseline keeps of an analysis."""

    scores: dict[str, float | None]
    issues: dict[str, int]  # how many, by "TYPE of AGENT"
    bad_turns: int


def summarize_run(analysis: Analysis) -> RunSummary:
    issues = Counter(f"{issue.type} of {issue.agent_id}" for issue in analysis.issues)
    scores = {name: getattr(analysis, name) for name in SESSION_SCORES}
    return RunSummary(scores, dict(sorted(issues.items())), analysis.conversation.bad_responses)


def list_regressions(before: RunSummary, now: RunSummary) -> list[str]:
    """What got worse, a sentence each. A score that did not apply before or does not apply now is left out."""
    worse = [
        f"{SESSION_SCORES[name]} was {score(old)} and is {score(now.scores[name])}."
        for name, old in before.scores.items()
        if is_worse(name, old, now.scores.get(name))
    ]
    worse += [
        f"{name}: {count} found, {before.issues.get(name, 0)} before."
        for name, count in now.issues.items()
        if count > before.issues.get(name, 0)
    ]
    if now.bad_turns > before.bad_turns:
        worse.append(f"Bad turns: {now.bad_turns} found, {before.bad_turns} before.")
    return worse


def is_worse(name: str, old: float | None, new: float | None) -> bool:
    if name not in SESSION_SCORES or old is None or new is None:
        return False
    loss = new - old if name in LOWER_IS_BETTER else old - new
    return loss > SCORE_TOLERANCE


def read_baseline(path: Path) -> dict[str, RunSummary]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, RunSummary])
    except OSError as error:
        raise BadBaseline(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError as error:
        raise BadBaseline(f"{path} is no baseline: {error}.") from None


def write_baseline(path: Path, runs: dict[str, RunSummary]) -> None:
    """Sorted and indented, so that a change of it can be reviewed."""
    with open_whole(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(dict(sorted(runs.items()))), indent=2) + b"\n")
