"""A proctor's program that was killed, or whose hub was away, goes on with the exams it left, and asks nothing twice."""

import secrets
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

from tests.conftest import serve
from tests.hub import Hub
from tests.sittings import agents
from tests.sittings.test_examining import FunctionAgent
from viva.client import retrying
from viva.client.key_files import KeyFile
from viva.embedded import EmbeddedHub, open_hub
from viva.exams.scripting import CLOSING_ID, ScriptLine
from viva.judging.panel import Panel
from viva.sittings.accounts import HubAccount, RemoteHub, call
from viva.sittings.briefs import ProctorBrief, read_brief
from viva.sittings.candidates import SittingCandidate
from viva.sittings.examining import claim_named, claim_next, examine
from viva.sittings.interrupted_exams import InterruptedExams
from viva.sittings.model import SilentWatcher
from viva.sittings.script_examiner import ScriptExaminer
from viva.sittings.sitting import sit, sit_on_own_hub
from viva.sittings.transcripts import SessionMessage, read_messages

EVALUATION = "plain-dealing"
DESCRIPTION = "An agent of a test of interrupted exams."
PLAIN_DEALER = FunctionAgent(agents.deal_plainly)


class BegunExam(NamedTuple):
    """A candidate, and a proctor who has claimed it."""

    candidate: HubAccount
    proctor: HubAccount
    claim: dict[str, Any]

    def say(self, account: HubAccount, content: str, prompt_id: str | None = None) -> None:
        account.post(f"{self.path}/messages", {"content": content, "prompt_id": prompt_id})

    @property
    def path(self) -> str:
        return f"/evaluations/{EVALUATION}/sessions/{self.claim['session_id']}"

    def ask_first(self) -> None:
        """What a program leaves that is killed after its first line."""
        script = read_brief(self.proctor, EVALUATION, self.claim).script
        assert script is not None
        self.say(self.proctor, script.prompts[0].text, script.prompts[0].id)

    def find_interrupted(self) -> dict[str, Any] | None:
        return InterruptedExams(self.proctor, EVALUATION, silence_seconds=0).find_claim()


@pytest.fixture(scope="module")
def hub() -> Iterator[EmbeddedHub]:
    with open_hub() as hub:
        yield hub


@pytest.fixture
def begun(hub: EmbeddedHub) -> Iterator[BegunExam]:
    with ExitStack() as stack:
        names = [f"{name}-{secrets.token_hex(4)}" for name in ("ada", "paul")]
        ada, paul = (stack.enter_context(closing(HubAccount.register(hub, name, DESCRIPTION))) for name in names)
        ada.post(f"/evaluations/{EVALUATION}/register")
        ada.post(f"/evaluations/{EVALUATION}/start")
        claim = claim_named(paul, EVALUATION, ada.name)
        assert claim is not None
        yield BegunExam(ada, paul, claim)


def test_an_exam_of_a_killed_program_goes_on_where_it_was(hub, begun):
    begun.ask_first()
    begun.say(begun.candidate, "Hello. I am ready.")

    claim = begun.find_interrupted()
    assert claim is not None
    sitting = Thread(target=sit, args=[SittingCandidate(begun.candidate, PLAIN_DEALER, read_evaluation(hub))])
    sitting.start()
    report = examine(begun.proctor, EVALUATION, claim, ScriptExaminer(Panel([])))
    sitting.join()

    assert (report.candidate_name, report.result and report.result["score"]) == (begun.candidate.name, 100)
    check_nothing_is_asked_twice(begun)


def read_evaluation(hub: EmbeddedHub) -> dict[str, Any]:
    with hub.client() as client:
        evaluation: dict[str, Any] = call(client, "GET", f"/evaluations/{EVALUATION}")["evaluation"]
        return evaluation


def check_nothing_is_asked_twice(begun: BegunExam) -> None:
    asked = [each.prompt_id for each in read_messages(begun.candidate, begun.path) if each.role == "proctor"]
    assert len(asked) == len(set(asked))


def test_an_exam_in_which_another_program_may_be_at_work_is_left_alone(begun):
    begun.ask_first()
    assert begun.find_interrupted() is None  # the candidate thinks

    begun.say(begun.candidate, "Hello. I am ready.")
    assert InterruptedExams(begun.proctor, EVALUATION).find_claim() is None  # the proctor thinks


def test_what_a_person_began_is_left_alone(begun):
    assert begun.find_interrupted() is None

    begun.ask_first()
    begun.say(begun.proctor, "May I ask who made you?")
    begun.say(begun.candidate, "You may.")
    assert begun.find_interrupted() is None


def test_an_exam_that_has_ended_is_none(begun):
    begun.ask_first()
    begun.say(begun.candidate, "Hello. I am ready.")
    begun.candidate.post(f"/evaluations/{EVALUATION}/cancel")

    assert begun.find_interrupted() is None


def test_a_script_that_has_said_its_last_word_only_marks(begun):
    begun.ask_first()
    begun.say(begun.candidate, "No.")
    begun.say(begun.proctor, "Thank you. That was the exam.", CLOSING_ID)

    report = examine(begun.proctor, EVALUATION, begun.claim, ScriptExaminer(Panel([])))

    assert report.result is not None
    assert len(read_messages(begun.candidate, begun.path)) == 3


def test_a_kept_exam_is_sat_to_its_end_by_the_next_command(hub, tmp_path):
    """`viva sit --keep --name` brings its own proctor, which a killed command has left with a claim."""
    keys, name = KeyFile(tmp_path / "keys.json"), f"ada-{secrets.token_hex(4)}"
    with (
        closing(HubAccount.register_or_load(hub, name, DESCRIPTION, keys)) as ada,
        closing(HubAccount.register_or_load(hub, f"proctor-of-{name}", DESCRIPTION, keys)) as proctor,
    ):
        ada.post(f"/evaluations/{EVALUATION}/register")
        ada.post(f"/evaluations/{EVALUATION}/start")
        begun = BegunExam(ada, proctor, require(claim_named(proctor, EVALUATION, name)))
        begun.ask_first()
        begun.say(ada, "Hello. I am ready.")

        watcher = SilentWatcher()
        outcome = sit_on_own_hub(hub, ada, PLAIN_DEALER, read_evaluation(hub), Panel([]), watcher, keys=keys)

        assert (outcome.state, outcome.score) == ("passed", 100)
        check_nothing_is_asked_twice(begun)


class KillingExaminer(ScriptExaminer):
    """A script during which the hub dies, before its second line."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(Panel([]))
        self._hub = hub

    def find_next_line(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> ScriptLine | None:
        if messages:
            self._hub.stop(signal.SIGKILL)
        return super().find_next_line(brief, messages)


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    with serve("sqlite", request, tmp_path) as hub:
        yield hub


@pytest.mark.slow
def test_an_exam_goes_on_after_the_hub_was_away_for_longer_than_anybody_tries(served, monkeypatch):
    monkeypatch.setattr(retrying, "RETRY_SECONDS", 0.1)
    remote = RemoteHub(served.url)
    ada = served.agent("ada")
    ada.start()
    with (
        closing(HubAccount.open(remote, str(ada.key))) as candidate,
        closing(HubAccount.register(remote, f"paul-{secrets.token_hex(4)}", DESCRIPTION)) as proctor,
    ):
        begun = BegunExam(candidate, proctor, require(claim_next(proctor, EVALUATION)))
        begun.ask_first()
        begun.say(candidate, "Hello. I am ready.")
        report = examine(proctor, EVALUATION, begun.claim, KillingExaminer(served))
        assert (report.result, report.is_interrupted) == (None, True)

        served.start()
        interrupted = InterruptedExams(proctor, EVALUATION)
        interrupted.add(report.registration_id)
        claim = require(interrupted.find_claim())
        sitting = Thread(
            target=sit, args=[SittingCandidate(candidate, PLAIN_DEALER, {"id": EVALUATION, "type": "proctored"})]
        )
        sitting.start()
        ended = examine(proctor, EVALUATION, claim, ScriptExaminer(Panel([])))
        sitting.join()

        assert require(ended.result)["score"] == 100
        check_nothing_is_asked_twice(begun)


def require(found: dict[str, Any] | None) -> dict[str, Any]:
    assert found is not None
    return found
