"""Exams in any order of deeds, beside a model of plain dicts: both agree after each step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests import make
from viva.agents.model import Agent
from viva.exams import account_deletion, proctoring, registering
from viva.exams.handlers.proctored import BadScore, Verdict
from viva.exams.proctoring import NotWaiting, NotYourCandidate, OwnExam
from viva.exams.registering import PrerequisitesMissing
from viva.exams.store import NotRegistered
from viva.kit.db import Connection
from viva.kit.errors import VivaError
from viva.kit.sqlite_connection import SqliteConnection
from viva.results.store import AlreadyDecided
from viva.sessions import channel
from viva.sessions.channel import NotAParticipant, SessionEnded
from viva.sessions.store import AlreadyClaimed

FIRST, SECOND = "good-manners", "high-tea"  # the first has to be passed before the second
OPEN = ("registered", "in_progress")

people = st.sampled_from(["ada", "paul", "pia"])
evaluations = st.sampled_from([FIRST, FIRST, SECOND])
parts = st.sampled_from(["proctor", "proctor", "proctor", "candidate", "stranger"])  # mostly those whose turn it is
picks = st.integers(0, 3)  # of the newest


@dataclass
class Place:
    """A registration, as the model knows it."""

    agent_id: str
    evaluation_id: str
    status: str = "registered"
    version: str | None = None
    session_id: str | None = None  # the session that examines it, not a released one
    result_version: str | None = None
    is_official: bool = False


@dataclass
class Room:
    """A session, as the model knows it."""

    registration_id: str
    proctor_id: str
    candidate_id: str
    status: str = "active"
    is_silent: bool = False
    said: int = 0


Refusal = type[VivaError] | None
needs_places = precondition(lambda self: self.places)
needs_rooms = precondition(lambda self: self.rooms)


class Exams(RuleBasedStateMachine):
    def __init__(self, db: Connection) -> None:
        super().__init__()
        self.db = db
        self.agents: dict[str, Agent] = {}
        self.places: dict[str, Place] = {}
        self.rooms: dict[str, Room] = {}
        self.minor = {FIRST: 0, SECOND: 0}
        self.leavings = 0
        db.execute("SAVEPOINT example")

    def teardown(self) -> None:
        self.db.execute("ROLLBACK TO example")
        self.db.execute("RELEASE example")

    @initialize()
    def open_the_hub(self) -> None:
        self.put(FIRST)
        self.put(SECOND)
        for name in ("ada", "paul", "pia"):
            self.agents[name] = make.agent(self.db, name)

    # Deeds

    @rule(who=people, what=evaluations, then=st.sampled_from(["be claimed", "be claimed", "start", "wait"]))
    def register(self, who: str, what: str, then: str) -> None:
        agent, held = self.agents[who], self.open_place(self.agents[who].id, what)
        missing = what == SECOND and not self.has_passed(agent.id, FIRST)

        registered = self.attempt(
            PrerequisitesMissing if missing else None, lambda: registering.register(self.db, what, agent)
        )
        if registered is None:
            return
        assert registered.is_new == (held is None)
        if held:
            assert registered.registration.id == held
            return
        self.places[registered.registration.id] = Place(agent.id, what)
        if then != "wait":
            self.start_as(agent, what)
        if then == "be claimed":
            self.claim_as(next(other for other in self.agents.values() if other != agent), registered.registration.id)

    @needs_places
    @rule(pick=picks)
    def start(self, pick: int) -> None:
        place = self.places[self.registration_at(pick)]
        self.start_as(self.actor(place, "candidate"), place.evaluation_id)

    def start_as(self, agent: Agent, what: str) -> None:
        held = self.open_place(agent.id, what)

        self.attempt(None if held else NotRegistered, lambda: make.start(self.db, what, agent))
        if held and self.places[held].status == "registered":
            self.places[held].status = "in_progress"
            self.places[held].version = self.version(what)

    @precondition(lambda self: any(place.status in OPEN for place in self.places.values()))
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        place = self.places[self.registration_at(pick)]
        agent = self.actor(place, "candidate")
        held = self.open_place(agent.id, place.evaluation_id)

        self.attempt(None if held else NotRegistered, lambda: registering.cancel(self.db, place.evaluation_id, agent))
        if held:
            self.withdraw(held)

    @needs_places
    @rule(pick=picks, who=people)
    def claim(self, pick: int, who: str) -> None:
        self.claim_as(self.agents[who], self.registration_at(pick))

    def claim_as(self, proctor: Agent, registration_id: str) -> None:
        place = self.places[registration_id]
        room = self.rooms.get(place.session_id or "")
        refusal: Refusal = None
        if place.agent_id == proctor.id:
            refusal = OwnExam
        elif place.status != "in_progress":
            refusal = NotWaiting
        elif room and not room.is_silent:
            refusal = AlreadyClaimed

        claim = self.attempt(refusal, lambda: proctoring.claim(self.db, place.evaluation_id, registration_id, proctor))
        if claim:
            self.give_back(place)
            place.session_id = claim.session.id
            self.rooms[claim.session.id] = Room(registration_id, proctor.id, place.agent_id)

    @needs_rooms
    @rule(pick=picks, part=parts)
    def release(self, pick: int, part: str) -> None:
        registration_id = self.registration_at(pick)
        place = self.places[registration_id]
        actor = self.actor(place, part)
        refusal = self.refusal_of_proctor(place, actor, decided=NotWaiting)

        self.attempt(refusal, lambda: proctoring.release(self.db, place.evaluation_id, registration_id, actor))
        if refusal is None:
            self.give_back(place)

    @needs_rooms
    @rule(pick=picks, part=parts)
    def say(self, pick: int, part: str) -> None:
        session_id = self.session_at(pick)
        room = self.rooms[session_id]
        speaker = self.actor(self.places[room.registration_id], part)
        refusal: Refusal = None
        if speaker.id not in (room.proctor_id, room.candidate_id):
            refusal = NotAParticipant
        elif room.status == "ended":
            refusal = SessionEnded
        evaluation_id = self.places[room.registration_id].evaluation_id

        said = self.attempt(
            refusal, lambda: channel.send(self.db, evaluation_id, session_id, speaker.id, "Please.", 100)
        )
        if said:
            room.said += 1
            room.is_silent = False
            assert said.sequence == room.said
            assert said.role == ("proctor" if speaker.id == room.proctor_id else "candidate")

    @needs_rooms
    @rule(pick=picks, part=parts, passed=st.booleans(), score=st.sampled_from([None, 0, 100, 101]))
    def submit(self, pick: int, part: str, passed: bool, score: float | None) -> None:
        registration_id = self.registration_at(pick)
        place = self.places[registration_id]
        actor = self.actor(place, part)
        refusal = self.refusal_of_proctor(place, actor, decided=AlreadyDecided)
        if refusal is None and score == 101:
            refusal = BadScore
        verdict = Verdict(passed, score=score)

        result = self.attempt(
            refusal,
            lambda: proctoring.submit(
                self.db, place.evaluation_id, registration_id, actor, verdict, make.HALL.proctors
            ),
        )
        if result:
            place.status = "completed" if passed else "failed"
            place.result_version = place.version
            place.is_official = result.official
            self.rooms[place.session_id or ""].status = "ended"
            assert result.session_id == place.session_id
            assert result.points_earned == (points_of(place.version) if passed and result.official else 0)

    @needs_rooms
    @rule(pick=picks)
    def fall_silent(self, pick: int) -> None:
        session_id = self.session_at(pick)
        make.silence(self.db, session_id)
        self.rooms[session_id].is_silent = True

    @precondition(lambda self: any(room.is_silent for room in self.rooms.values()))
    @rule()
    def sweep(self) -> None:
        silent = [room for room in self.rooms.values() if room.is_silent and room.status == "active"]

        ended = self.attempt(None, lambda: proctoring.end_silent_claims(self.db))
        assert ended == len(silent)
        for room in silent:
            self.give_back(self.places[room.registration_id])

    @precondition(lambda self: any(place.status == "in_progress" for place in self.places.values()))
    @rule(what=evaluations)
    def bump_version(self, what: str) -> None:
        self.minor[what] += 1
        self.put(what)

    @precondition(lambda self: self.leavings < 3 and len(self.rooms) > self.leavings)
    @rule(who=people)
    def leave_and_come_again(self, who: str) -> None:
        self.leavings += 1
        agent = self.agents[who]

        self.attempt(None, lambda: account_deletion.delete_account(self.db, agent))
        for registration_id, place in self.places.items():
            if place.agent_id == agent.id and place.status in OPEN:
                self.withdraw(registration_id)
        for room in self.rooms.values():
            if room.proctor_id == agent.id and room.status == "active":
                self.give_back(self.places[room.registration_id])
        self.agents[who] = make.agent(self.db, f"{who} {self.leavings}")  # the name stays locked

    # What both sides say after each deed

    @invariant()
    def registrations_agree(self) -> None:
        kept = self.rows("SELECT id, agent_id, evaluation_id, status, evaluation_version FROM evaluation_registrations")
        known = {(id_, p.agent_id, p.evaluation_id, p.status, p.version) for id_, p in self.places.items()}
        assert set(kept) == known

    @invariant()
    def an_agent_has_one_open_place_in_an_evaluation(self) -> None:
        kept = self.rows(
            "SELECT agent_id, evaluation_id FROM evaluation_registrations WHERE status IN ('registered', 'in_progress')"
        )
        assert len(kept) == len(set(kept))

    @invariant()
    def sessions_agree(self) -> None:
        kept = self.rows(
            "SELECT id, registration_id, coalesce(registration_id, released_registration_id), status, message_count FROM evaluation_sessions"
        )
        known = {
            (
                id_,
                room.registration_id if self.places[room.registration_id].session_id == id_ else None,
                room.registration_id,
                room.status,
                room.said,
            )
            for id_, room in self.rooms.items()
        }
        assert set(kept) == known

    @invariant()
    def a_session_has_one_proctor_and_one_candidate(self) -> None:
        kept = self.rows(
            "SELECT session_id, role, agent_id FROM evaluation_session_participants ORDER BY session_id, role DESC"
        )
        known = [
            seat
            for id_, room in sorted(self.rooms.items())
            for seat in ((id_, "proctor", room.proctor_id), (id_, "candidate", room.candidate_id))
        ]
        assert kept == known

    @invariant()
    def sequences_have_no_gaps(self) -> None:
        kept = self.rows("SELECT session_id, sequence FROM evaluation_messages ORDER BY session_id, sequence")
        assert kept == [(id_, number) for id_, room in sorted(self.rooms.items()) for number in range(1, room.said + 1)]

    @invariant()
    def results_agree(self) -> None:
        kept = self.rows("SELECT registration_id, evaluation_version FROM evaluation_results")
        known = [(id_, place.result_version) for id_, place in self.places.items() if place.result_version]
        assert sorted(kept) == sorted(known)

    @invariant()
    def those_wait_whom_nobody_examines(self) -> None:
        for what in (FIRST, SECOND) if self.agents else ():
            waiting = {each.registration_id for each in proctoring.list_waiting(self.db, what, 200, None).items}
            assert waiting == {
                id_ for id_, place in self.places.items() if place.evaluation_id == what and self.waits(place)
            }

    # The model

    def attempt(self, refusal: Refusal, deed: Callable[[], Any]) -> Any:
        """Do it as a unit of work; None where it is refused, which has to be with that very error."""
        if refusal is None:
            with make.unit(self.db):
                return deed()
        with pytest.raises(VivaError) as refused, make.unit(self.db):
            deed()
        assert refused.type is refusal
        return None

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.db.execute(sql).fetchall()]

    def registration_at(self, pick: int) -> str:
        return list(self.places)[-1 - pick % len(self.places)]

    def session_at(self, pick: int) -> str:
        return list(self.rooms)[-1 - pick % len(self.rooms)]

    def version(self, what: str) -> str:
        return f"1.{self.minor[what]}.0"

    def put(self, what: str) -> None:
        number, needs = (7, ()) if what == FIRST else (8, (FIRST,))
        version = self.version(what)
        make.evaluation(self.db, id=what, sip=number, prerequisites=needs, version=version, points=points_of(version))

    def open_place(self, agent_id: str, what: str) -> str | None:
        held = [
            id_
            for id_, p in self.places.items()
            if (p.agent_id, p.evaluation_id) == (agent_id, what) and p.status in OPEN
        ]
        assert len(held) <= 1
        return held[0] if held else None

    def has_passed(self, agent_id: str, what: str) -> bool:
        """Practice opens no evaluation that has this one as a prerequisite."""
        mine = [p for p in self.places.values() if (p.agent_id, p.evaluation_id) == (agent_id, what)]
        return any(p.status == "completed" and p.is_official for p in mine)

    def waits(self, place: Place) -> bool:
        room = self.rooms.get(place.session_id or "")
        return place.status == "in_progress" and (room is None or room.is_silent)

    def actor(self, place: Place, part: str) -> Agent:
        """Who plays the part in this exam; somebody else where nobody does, or where who did has left."""
        room = self.rooms.get(place.session_id or "")
        holders = {"proctor": room.proctor_id if room else None, "candidate": place.agent_id}
        strangers = [agent for agent in self.agents.values() if agent.id not in holders.values()]
        return next((agent for agent in self.agents.values() if agent.id == holders.get(part)), strangers[0])

    def refusal_of_proctor(self, place: Place, proctor: Agent, decided: type[VivaError]) -> Refusal:
        room = self.rooms.get(place.session_id or "")
        if room is None or room.proctor_id != proctor.id:
            return NotYourCandidate
        if place.status in ("completed", "failed"):
            return decided
        return NotWaiting if place.status != "in_progress" else None

    def give_back(self, place: Place) -> None:
        if place.session_id:
            self.rooms[place.session_id].status = "ended"
            place.session_id = None

    def withdraw(self, registration_id: str) -> None:
        place = self.places[registration_id]
        place.status = "cancelled"
        if place.session_id:
            self.rooms[place.session_id].status = "ended"


def points_of(version: str | None) -> int:
    """Each version has points of its own."""
    return 10 + int((version or "").split(".")[1])


@pytest.mark.slow
def test_exams_and_their_model_agree_whatever_is_done(db):
    examples = 100 if isinstance(db, SqliteConnection) else 25  # a server is asked over a socket

    class ExamsHere(Exams):
        def __init__(self) -> None:
            super().__init__(db)

    run_state_machine_as_test(
        ExamsHere,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            derandomize=True,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
