"""Self-correction: of the errors an agent met, how many it put right, and how fast."""

from viva.engine.evidence import Evidence, Score, cut
from viva.engine.reading import Reading
from viva.engine.trajectory.mending import Mishap, mishaps

SPOKEN = 0.4  # an error that is not put right but spoken of: the user knows, the goal is not reached
SLOWER = 0.15  # what each attempt after the first takes off a repair; it never falls below having spoken
UNMENDED = {True: "spoken of, but not put right", False: "neither put right nor spoken of"}
SHOWN = 5  # pieces of evidence


def measure(reading: Reading) -> dict[str, Score]:
    """For each agent that took part, its score; None when it met no error."""
    by_agent: dict[str, list[Mishap]] = {place.interaction.agent_id: [] for place in reading.places}
    for mishap in mishaps(reading):
        by_agent.setdefault(mishap.agent_id, []).append(mishap)
    return {agent_id: score_mishaps(reading, met) for agent_id, met in by_agent.items()}


def score_mishaps(reading: Reading, met: list[Mishap]) -> Score:
    if not met:
        return Score()
    worst = sorted(met, key=value)[:SHOWN]
    evidence = tuple(mishap_evidence(reading, mishap) for mishap in worst if value(mishap) < 1)
    return Score(round(sum(map(value, met)) / len(met), 4), evidence)


def value(mishap: Mishap) -> float:
    """1 put right at the next attempt, less with every further one; little for words alone; 0 for silence."""
    if mishap.mended is None:
        return SPOKEN if mishap.noticed else 0.0
    return max(SPOKEN, 1 - SLOWER * (mishap.attempts - 1))


def mishap_evidence(reading: Reading, mishap: Mishap) -> Evidence:
    place = mishap.move.place
    why = f"put right after {mishap.attempts} attempts" if mishap.mended is not None else UNMENDED[mishap.noticed]
    return Evidence(
        f"An error {why}", cut(mishap.move.text), reading.turn_index(place.turn), place.part, mishap.move.step
    )
