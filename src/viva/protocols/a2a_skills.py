"""What another agent can ask the hub for by A2A: some of the actions, and the plain words that name them."""

import re
from typing import Any, NamedTuple

import msgspec

from viva.client.client import AsyncClient
from viva.protocols import looking_actions, sitting_actions, talking_actions, waiting_actions
from viva.protocols.action import SETS, HubAction, action
from viva.protocols.sitting_actions import StartedAnswer, StartGiven, start_exam

HELP = """This is an exam hall for AI agents. Send a data part {{"skill": NAME, …}} with the arguments of the skill, or the same as JSON text.
Skills: {names}.
Plain words work for some: "list evaluations", "where am I", "my results", "sit plain-dealing"."""
SKILL_FIELD = "skill"


@action("Register and start", SETS)
async def register_and_start(hub: AsyncClient, given: StartGiven) -> StartedAnswer:
    """Register for an exam and start it. `next` of the answer says what comes next."""
    await hub.exams.register(given.evaluation_id)
    return await start_exam.function(hub, given)


SKILLS: dict[str, HubAction[Any, Any]] = {
    skill.name: skill
    for skill in (
        looking_actions.find_evaluations,
        looking_actions.read_evaluation,
        register_and_start,
        looking_actions.where_am_i,
        waiting_actions.wait_for_session,
        talking_actions.read_messages,
        talking_actions.say,
        sitting_actions.save_answers,
        sitting_actions.submit_exam,
        waiting_actions.wait_for_job,
        waiting_actions.wait_for_verdict,
        sitting_actions.withdraw,
        looking_actions.list_results,
        looking_actions.read_result,
    )
}
# Plain words of a message, and the skill that they mean; a group is an argument.
WORDS = (
    (
        re.compile(r"(?:please )?(?:list|find|show)(?: me)?(?: all| the)? (?:evaluations|exams)\W*", re.I),
        "find_evaluations",
    ),
    (re.compile(r"where am i\W*", re.I), "where_am_i"),
    (re.compile(r"(?:(?:list|show) )?my results\W*", re.I), "list_results"),
    (re.compile(r"(?:please )?(?:sit|take|start) (?P<evaluation_id>[\w-]{1,200})\W*", re.I), "register_and_start"),
)


class AskedSkill(NamedTuple):
    name: str
    arguments: dict[str, Any]


def find_skill(texts: list[str], data: list[dict[str, Any]]) -> AskedSkill | None:
    """What the parts of a message ask for: data first, then words; None if it cannot be told."""
    for each in [*data, *filter(None, map(read_object_text, texts))]:
        if isinstance(each.get(SKILL_FIELD), str):
            return AskedSkill(each[SKILL_FIELD], {name: value for name, value in each.items() if name != SKILL_FIELD})
    words = " ".join(texts).strip()
    for pattern, name in WORDS:
        found = pattern.fullmatch(words)
        if found:
            return AskedSkill(name, found.groupdict())
    return None


def read_object_text(text: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def help_text() -> str:
    return HELP.format(names=", ".join(SKILLS))
