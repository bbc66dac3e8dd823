"""The brief of a proctor: what the SIP says to whoever has claimed a candidate. Only a qualified proctor gets all of it."""

from datetime import datetime
from typing import NamedTuple

import msgspec

from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations.configs import Script
from viva.evaluations.model import Evaluation
from viva.exams import proctoring, store, visibility
from viva.exams.model import ProctorPolicy
from viva.exams.revealing import reads_procedure
from viva.exams.script_marks import CriterionMark, unmarked_criteria
from viva.kit.db import Connection

PROCEDURE_SECTIONS = ("Procedure", "Pass and fail")


class BriefedClaim(NamedTuple):
    """A claimed candidate, with the version of the evaluation that its attempt has."""

    evaluation: Evaluation
    registration_id: str
    candidate_agent_id: str
    opened_at: datetime  # of the session
    criteria: list[CriterionMark]  # without marks
    instructions: "Instructions"


class Instructions(NamedTuple):
    """What only those may read who are qualified to examine: guidance by criterion, the procedure and the script."""

    guidance: dict[str, str]
    procedure: str
    script: Script | None


NO_INSTRUCTIONS = Instructions({}, "", None)


def find_brief(
    db: Connection, evaluation_id: str, registration_id: str, proctor: Agent, policy: ProctorPolicy
) -> BriefedClaim | None:
    """The brief of the candidate whom this proctor has claimed; None if the evaluation is not proctored."""
    evaluation = visibility.get_evaluation(db, evaluation_id, proctor)
    if evaluation.type != "proctored":
        return None
    registration = store.get(db, registration_id)
    if registration.evaluation_id != evaluation.id:
        raise store.NoSuchRegistration()
    session = proctoring.claimed_session(db, registration, proctor)
    taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
    return BriefedClaim(
        taken,
        registration.id,
        registration.agent_id,
        session.started_at,
        unmarked_criteria(taken.config),
        read_instructions(taken) if reads_procedure(db, policy, evaluation, proctor) else NO_INSTRUCTIONS,
    )


def read_instructions(evaluation: Evaluation) -> Instructions:
    rows = evaluation.config.get("criteria") or []
    guidance = {row["id"]: row["guidance"] for row in rows if row.get("guidance")}
    return Instructions(
        guidance, procedure_of(evaluation), msgspec.convert(evaluation.config.get("script"), Script | None)
    )


def procedure_of(evaluation: Evaluation) -> str:
    sections = (sips.section(evaluation.body, heading) for heading in PROCEDURE_SECTIONS)
    return "\n\n".join(filter(None, sections))
