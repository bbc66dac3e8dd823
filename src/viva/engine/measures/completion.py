"""Task completion: was the user's goal reached? Read from what was tried, how the run ends and what it left open."""

import msgspec

from viva.engine.call_text import came_back
from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, Score, cut
from viva.engine.logistic import LogisticModel, at_base_rate, hold_below, load_model
from viva.engine.outcome.closing import final_answer
from viva.engine.outcome.signs import Sign, sign_evidence
from viva.engine.outcome.table import COMPLETION, run_signs
from viva.engine.reading import Reading

ANSWERS_A_RUN = 3  # of which one bad answer is enough to fail: so often do runs fail at a base rate of bad answers
USUAL_LENGTH = 1.6  # the sign of a recorded run of middle length
FAINT_LOG_ODDS = 0.05  # a sign that moves the odds by less is not worth a reader's time
UNPROVEN = "No sign of failure was found; nothing but the run itself proves success"


class Completion(msgspec.Struct, frozen=True):
    """Whether the goal was reached, and how probable that is. Both are None when there is nothing to judge."""

    task_completion: bool | None = None
    score: Score = Score()


def measure(reading: Reading) -> Completion:
    """The probability that the user's goal was reached. What the trace itself says about its success is believed."""
    if reading.trace.success is not None:
        return stated_completion(reading)
    if not reading.places or not (reading.trace.initial_task or any(t.user_message for t in reading.trace.turns)):
        return Completion()  # without a goal, or an agent who had a part in it, there is nothing to judge
    if not any(place.interaction.agent_response or place.interaction.agent_steps for place in reading.places):
        nothing = Evidence("No agent answered or did anything", turn_index=reading.turn_index(-1))
        return Completion(False, Score(0.0, (nothing,)))
    if not has_outcome(reading):
        return Completion()
    model, signs = load_model("completion"), run_signs(reading)
    failures = 1 - (1 - reading.base_rate) ** ANSWERS_A_RUN
    values = {sign.name: sign.value for sign in signs}
    failed = at_base_rate(model.probability(values), failures)
    usual = values | {"length": min(USUAL_LENGTH, values["length"])}
    if at_base_rate(model.probability(usual), failures) < 0.5:
        failed = hold_below(failed, 0.5)  # no run is called failed because it is long
    final = final_answer(reading)
    unproven = Evidence(UNPROVEN, cut(final.text), reading.turn_index(final.turn))
    return Completion(failed < 0.5, Score(1 - failed, against(reading, model, signs) or (unproven,)))


def has_outcome(reading: Reading) -> bool:
    """Whether anybody said anything, or any call came back. A record of calls alone does not tell what became of them."""
    acts = [place.interaction for place in reading.places]
    return any(
        act.agent_response
        or any(
            step.thought or step.observation or (step.tool_call and came_back(step.tool_call))
            for step in act.agent_steps
        )
        for act in acts
    )


def stated_completion(reading: Reading) -> Completion:
    """What a trace says of itself stands in none of its turns, and is placed at its end like all that is true of the whole."""
    success = bool(reading.trace.success)
    end = reading.turn_index(-1) if reading.trace.turns else None
    evidence = Evidence(f"The trace states that it {'succeeded' if success else 'failed'}", turn_index=end)
    return Completion(success, Score(float(success), (evidence,)))


def against(reading: Reading, model: LogisticModel, signs: list[Sign]) -> tuple[Evidence, ...]:
    values = {sign.name: sign for sign in signs}
    pulls = {name: weight * values[name].value for name, weight in model.weights.items()}
    reasons = model.reasons({sign.name: sign.value for sign in signs}, COMPLETION)
    return tuple(
        sign_evidence(values[feature.name], feature.meaning, reading)
        for feature in reasons[:MAX_EVIDENCE_PIECES]
        if pulls[feature.name] > FAINT_LOG_ODDS
    )
