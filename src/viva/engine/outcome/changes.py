"""Tool calls as seen by the goal: what changed something, what only looked, and what failed."""

import re
from functools import lru_cache
from typing import NamedTuple

from viva.engine.model import ToolCall
from viva.engine.reading import Reading, flat
from viva.engine.text.words import words

CHANGING = frozenset(
    words(
        "send create update delete add invite remove post schedule reserve book cancel share append reschedule modify change"
        " set make pay transfer write reply move upload buy purchase order exchange return refund submit forward publish edit"
        " register enable disable toggle reset grant revoke approve assign close open insert save put apply activate"
        " deactivate rename archive accept decline block message email adjust fix rent subscribe unsubscribe issue process"
        " place redeem suspend resume reboot refuel turn replace rotate deploy restart install start stop merge commit charge"
        " release renew extend upgrade downgrade confirm notify label mark star mute unlock lock"
    )
)
LOOKING = frozenset(
    words(
        "get read search list find check calculate think look lookup fetch show view query retrieve see compute count"
        " describe inspect browse download verify validate tell summarize compare print scan test measure monitor"
    )
)
HANDING = re.compile(r"human|escalat|hand_?off|supervisor|live_?agent", re.I)
PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
FAILED = re.compile(
    r"\A\W*(?:error|exception|traceback|failed|failure|invalid)\b(?!\W+(?:null|none|false|0)\b)"
    r"|\b(?:error|exception):|\bnot found\b|\"(?:status|state)\"\s*:\s*\"(?:error|fail)",
    re.I,
)
WITHHELD = re.compile(r"\b(?:omitted|withheld|redacted|blocked|denied|forbidden|unauthori[sz]ed|not permitted)\b", re.I)
HEAD = 200  # characters at the beginning of a result that say whether it is an error


class ToolAction(NamedTuple):
    """One call with its place (positions), what came back as text, and what it was for."""

    turn: int
    interaction: int
    step: int
    call: ToolCall
    result: str
    failed: bool
    changing: bool
    handing: bool


def deeds(reading: Reading) -> list[ToolAction]:
    """Every call of the run in its order."""
    return [
        make_action(place.turn, place.part, k, step.tool_call)
        for place in reading.places
        for k, step in enumerate(place.interaction.agent_steps)
        if step.tool_call is not None
    ]


def make_action(turn: int, interaction: int, step: int, call: ToolCall) -> ToolAction:
    result = flat(call.result)
    failed = bool(call.error) or FAILED.search(result, 0, HEAD) is not None
    handing = HANDING.search(call.tool_name) is not None
    return ToolAction(turn, interaction, step, call, result, failed, changes(call.tool_name) and not handing, handing)


@lru_cache(maxsize=4_096)
def changes(tool: str) -> bool:
    """Whether a tool's name says that it changes something: its first telling word decides."""
    told = (part.lower() for part in PARTS.split(tool))
    return next((part in CHANGING for part in told if part in CHANGING or part in LOOKING), False)


def has_changed(deed: ToolAction) -> bool:
    """Whether a call changed something."""
    return deed.changing and not deed.failed


def withheld(deed: ToolAction) -> bool:
    """Whether a call came back with a notice in place of the data."""
    return len(deed.result) < HEAD and WITHHELD.search(deed.result) is not None


def find_unrepaired(done: list[ToolAction]) -> ToolAction | None:
    """The last call that failed and whose tool never worked afterwards."""
    worked: set[str] = set()
    for one in reversed(done):
        if one.failed and one.call.tool_name not in worked:
            return one
        if not one.failed:
            worked.add(one.call.tool_name)
    return None
