"""The whole gate, in its own process: shipped evaluations are let through, and weak ones are not.

Without a judge nobody marks the proctored evaluations, so the gate says that it has not checked them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contributions.gate_hubs import EXEMPLARS, WEAK, obedient, shipped_judge
from tests.contributions.proposals import proposal
from tests.judging.endpoint import endpoint
from viva.config import SHIPPED_SIPS
from viva.contributions import documents, gaming
from viva.contributions.gate_model import status_of
from viva.contributions.gate_process import JUDGED_LIMITS, GateLimits
from viva.contributions.model import GateOutcome
from viva.evaluations import sip as sips

pytestmark = pytest.mark.slow
NULL_AGENTS = ["nothing", "constant", "random", "prompt", "orders"]
WITH_REFERENCE = [*NULL_AGENTS, "reference", "fail_exemplars"]
# The agents that sit each shipped evaluation. A proctor decides the first three, and nobody proctors in a scratch hub.
# The next three depend on the account or the attempt, so that no exemplar can be handed in.
SHIPPED_SITTINGS = {
    1: ["all"],
    2: ["all"],
    3: ["all"],
    **dict.fromkeys((4, 5, 6), NULL_AGENTS),
    **dict.fromkeys((7, 8, 9), WITH_REFERENCE),
}


@pytest.fixture(scope="module")
def sound_judge() -> Iterator[dict[str, str]]:
    with endpoint(shipped_judge()) as server:
        yield {"VIVA_JUDGE_URL": server.url, "VIVA_JUDGE_MODEL": "model-a"}


def check_shipped(number: int, judge: dict[str, str]) -> list[GateOutcome]:
    sip = sips.parse((SHIPPED_SIPS / f"SIP-{number}.md").read_text())
    return gaming.check_proposal(documents.proposal_of(sip), judge, JUDGED_LIMITS)


def test_there_are_nine_shipped_evaluations():
    assert sorted(path.name for path in SHIPPED_SIPS.glob("SIP-*.md")) == [f"SIP-{n}.md" for n in SHIPPED_SITTINGS]


@pytest.mark.parametrize("number", SHIPPED_SITTINGS)
def test_the_whole_gate_lets_each_shipped_evaluation_through(sound_judge, number):
    outcomes = check_shipped(number, sound_judge)

    assert [outcome.agent for outcome in outcomes] == SHIPPED_SITTINGS[number]
    if number <= 3:
        assert [(outcome.verdict, outcome.detail) for outcome in outcomes] == [
            ("not_checked", "A proctor decides this evaluation, so agents cannot try it by themselves.")
        ]
        return
    assert {outcome.verdict for outcome in outcomes} == {"ok"}, outcomes
    assert status_of(outcomes) == "passed"
    assert all(outcome.runs for outcome in outcomes)
    assert next(each.runs for each in outcomes if each.agent == "random") >= (3 if number >= 8 else 100)


@pytest.mark.parametrize("name", WEAK)
def test_the_whole_gate_stops_each_null_agent_where_an_evaluation_is_weak_against_it(name):
    front: dict[str, Any] = WEAK[name]
    weak = proposal(
        type=front["type"],
        config=front["config"],
        executable_handler=front["executable"]["handler"],
        exemplars=EXEMPLARS if name == "orders" else [],
        author="ada",
    )
    with endpoint(obedient) as server:
        judge = {"VIVA_JUDGE_URL": server.url, "VIVA_JUDGE_MODEL": "model-a"} if name == "orders" else {}
        outcomes = gaming.check_proposal(weak, judge, JUDGED_LIMITS if judge else GateLimits())

    assert status_of(outcomes) == "failed"
    (named,) = [outcome for outcome in outcomes if outcome.agent == name]
    assert named.verdict == "error"
    assert named.passes >= 2
    assert list(WEAK) == NULL_AGENTS
