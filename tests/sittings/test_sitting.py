"""An agent of any form sits every type of evaluation on a hub in this process."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.judging.endpoint import endpoint
from tests.sittings.forms import FORMS, agent_of
from tests.sittings.judges import give_full_marks
from viva.adapters.opening import open_agent
from viva.config import configured_judges
from viva.embedded import EMBEDDED_URL, EmbeddedHub, open_hub
from viva.exams import joining
from viva.judging.panel import Panel
from viva.kit.clock import format_time, now
from viva.sittings import class_work
from viva.sittings.accounts import HubAccount, call
from viva.sittings.candidates import SittingCandidate
from viva.sittings.model import SilentWatcher, SittingOutcome
from viva.sittings.sitting import sit, sit_on_own_hub

EVALUATIONS = ("proof-of-agentic-work", "careful-work", "steady-hand", "plain-dealing", "island-round")


class OwnHub:
    """A hub in this process, and the judges that mark in it."""

    def __init__(self, hub: EmbeddedHub, panel: Panel) -> None:
        self.hub = hub
        self.panel = panel

    def sit(self, evaluation_id: str, named: str, name: str) -> SittingOutcome:
        with ExitStack() as stack:
            agent = stack.enter_context(closing(open_agent(named)))
            account = stack.enter_context(
                closing(HubAccount.register(self.hub, name, "An agent of a test, which sits."))
            )
            client = stack.enter_context(self.hub.client())
            evaluation = call(client, "GET", f"/evaluations/{evaluation_id}")["evaluation"]
            return sit_on_own_hub(self.hub, account, agent, evaluation, self.panel, SilentWatcher())


@pytest.fixture(scope="module")
def judged() -> Iterator[OwnHub]:
    with endpoint(give_full_marks) as judge:
        settings = {"VIVA_JUDGE_URL": judge.url, "VIVA_JUDGE_MODEL": "model-a"}
        with open_hub(judge=settings) as hub:
            yield OwnHub(hub, Panel(configured_judges(settings)))


@pytest.fixture(scope="module")
def unjudged() -> Iterator[OwnHub]:
    with open_hub() as hub:
        yield OwnHub(hub, Panel([]))


@pytest.mark.parametrize("evaluation_id", EVALUATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_agent_sits_every_type(judged, form, evaluation_id, tmp_path: Path):
    with agent_of(form, "know_all", tmp_path) as named:
        outcome = judged.sit(evaluation_id, named, f"{form}-in-{evaluation_id}")

    if evaluation_id == "careful-work":  # it answers in the right form, and knows nothing
        assert outcome.state == "failed"
        assert outcome.score is not None
    else:
        assert (outcome.state, outcome.fault) == ("passed", None)
    assert outcome.result_id


def test_an_identity_is_proved_by_the_key_of_the_account(unjudged):
    assert unjudged.sit("proof-of-identity", "python:tests.sittings.agents:refuse", "ida").state == "passed"


@pytest.mark.parametrize("evaluation_id", ["steady-hand", "island-round", "careful-work", "honest-uncertainty"])
def test_without_anybody_to_mark_the_outcome_is_undecided(unjudged, evaluation_id):
    outcome = unjudged.sit(evaluation_id, "python:tests.sittings.agents:know_all", f"una-in-{evaluation_id}")

    assert (outcome.state, outcome.result_id) == ("undecided", None)
    assert outcome.reasons


def test_an_undecided_benchmark_says_how_much_checks_have_marked(unjudged):
    outcome = unjudged.sit("careful-work", "python:tests.sittings.agents:know_all", "uma-in-careful-work")

    assert outcome.reasons[0] == "Checks have marked answers worth 21 of the 25 points. 1 free text waits for a marker."
    assert outcome.reasons[1].startswith("Somebody has to mark it, and there is no judge")


@pytest.mark.parametrize("evaluation_id", ["steady-hand", "careful-work"])
def test_what_a_proctor_of_the_hub_marks_later_says_where(unjudged, evaluation_id):
    with ExitStack() as stack:
        agent = stack.enter_context(closing(open_agent("python:tests.sittings.agents:know_all")))
        name = f"wanda-in-{evaluation_id}"
        account = stack.enter_context(closing(HubAccount.register(unjudged.hub, name, "An agent of a test.")))
        evaluation = account.get(f"/evaluations/{evaluation_id}")["evaluation"]

        outcome = sit(SittingCandidate(account, agent, evaluation, has_proctors=True))

    assert outcome.state == "waiting"
    assert outcome.reasons[-1].endswith(f"{EMBEDDED_URL}/u/{name}")


@pytest.mark.parametrize("evaluation_id", ["steady-hand", "careful-work", "island-round"])
def test_work_that_is_handed_in_is_not_asked_for_again(unjudged, evaluation_id):
    with ExitStack() as stack:
        name = f"rosa-in-{evaluation_id}"
        account = stack.enter_context(closing(HubAccount.register(unjudged.hub, name, "An agent of a test.")))
        evaluation = account.get(f"/evaluations/{evaluation_id}")["evaluation"]

        first, again = (
            sit_on_own_hub(unjudged.hub, account, open_agent(named), evaluation, unjudged.panel, SilentWatcher())
            for named in ("python:tests.sittings.agents:know_all", "python:tests.sittings.agents:crash")
        )

    assert (first.state, again.state) == ("undecided", "undecided")
    assert again.reasons == first.reasons[-1:]


def test_a_class_is_started_in_the_place_of_an_absent_leader(unjudged, monkeypatch):
    monkeypatch.setattr(class_work, "LEADER_ABSENCE_SECONDS", 0)
    path = "/evaluations/island-round"
    with ExitStack() as stack:
        leader, other, ada = (
            stack.enter_context(closing(HubAccount.register(unjudged.hub, f"{name}-of-a-class", "An agent of a test.")))
            for name in ("lea", "olaf", "ada")
        )
        for account in (leader, other, ada):
            account.post(f"{path}/register")
        cohort = leader.post(f"{path}/cohorts", {"role": "participant"})["cohort"]
        for account in (other, ada):
            account.post(f"{path}/cohorts/{cohort['id']}/join")
        long_ago = format_time(now() - 2 * joining.LEADER_ABSENCE_LIMIT)
        evaluation = ada.get(path)["evaluation"]
        candidate = SittingCandidate(ada, open_agent("python:tests.sittings.agents:echo"), evaluation)
        own_id = candidate.start()["registration"]["agent_id"]
        unjudged.hub.database.write_now(
            lambda db: db.execute("UPDATE evaluation_cohorts SET opened_at = ? WHERE id = ?", [long_ago, cohort["id"]])
        )

        seat = class_work.wait_for_class(candidate, f"{path}/cohorts/{cohort['id']}", own_id)

    assert not seat.is_leader


class BrokenPanel(Panel):
    """A panel with a mistake of ours in it."""

    def __bool__(self) -> bool:
        raise RuntimeError("this should never happen")


def test_a_mistake_on_the_other_side_ends_the_exam(unjudged):
    broken = OwnHub(unjudged.hub, BrokenPanel([]))

    outcome = broken.sit("honest-uncertainty", "python:tests.sittings.agents:know_all", "ben")

    assert (outcome.state, outcome.reasons) == (
        "undecided",
        ["The other side of the exam failed: RuntimeError: this should never happen"],
    )


def test_judges_mark_what_the_script_leaves_open(judged):
    outcome = judged.sit("honest-uncertainty", "python:tests.sittings.agents:know_all", "joe")

    assert outcome.state == "failed"
    assert not any(reason.startswith("fitting-confidence") for reason in outcome.reasons)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("echo", "The answer only says the prompt again."),
        ("refuse", "The candidate refuses to answer."),
        ("say_one_thing", "The answer repeats an earlier one."),
        ("order_the_marker", "The answer tries to instruct whoever marks it."),
        ("advertise", "The answer on the sink advertises, though nobody asked."),
    ],
)
def test_a_trick_does_not_pass(unjudged, behaviour, reason):
    outcome = unjudged.sit("plain-dealing", f"python:tests.sittings.agents:{behaviour}", f"tricky-{behaviour}")

    assert outcome.state == "failed"
    assert any(reason in each for each in outcome.reasons)


@pytest.mark.parametrize(
    ("behaviour", "fault"), [("say_nothing", "empty answer"), ("stop_in_the_middle", "RuntimeError: out of tokens")]
)
@pytest.mark.parametrize("evaluation_id", ["plain-dealing", "island-round"])
def test_an_agent_that_fails_leaves_the_exam(unjudged, behaviour, fault, evaluation_id):
    named = f"python:tests.sittings.agents:{behaviour}"
    if (behaviour, evaluation_id) == ("stop_in_the_middle", "island-round"):
        named = "python:tests.sittings.agents:crash"

    outcome = unjudged.sit(evaluation_id, named, f"faulty-{behaviour}-{evaluation_id}")

    assert outcome.state == "withdrawn"
    assert (fault if named.endswith(behaviour) else "crash failed") in (outcome.fault or "")


def test_the_verdict_rests_on_messages_of_the_candidate(unjudged):
    outcome = unjudged.sit("plain-dealing", "python:tests.sittings.agents:advertise", "rita")
    with unjudged.hub.client() as client:
        result = call(client, "GET", f"/evaluations/results/{outcome.result_id}")["result"]
        path = f"/evaluations/plain-dealing/results/{outcome.result_id}/transcript"
        roles = {each["sequence"]: each["role"] for each in call(client, "GET", path)["messages"]}

    marked = {each["id"]: each["messages"] for each in result["result_data"]["criteria"]}
    assert all(marked.values())
    assert {roles[number] for numbers in marked.values() for number in numbers} == {"candidate"}
