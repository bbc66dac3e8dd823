"""Plants one fault at a time in good runs of small teams, and measures which score falls. Only blame learns from them.

Run as `python -m training.team_faults [KIND]`. The teams (training/data/teams.jsonl) are our own: each with a lead, somebody
who looks things up and somebody who acts. Every run is told in several styles of addressing; controls change nothing
that matters. A rule is kept if it holds in domains and styles that it was not written for.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from training.fitting import DATA
from training.planting import PlantedRun
from viva.engine.faults import RunFault
from viva.engine.measures import coordination, drift, handoff, reasoning
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading
from viva.engine.scoring import average

FALL = 0.01  # by which a score must fall to have noticed a fault
STILL = 0.03  # by which a score may move if nothing that matters changed
# How a lead gives work to an agent: {name} is the agent, {do} the work.
STYLES = {
    "comma": "{name}, please {do}.",
    "at": "@{name} {do}",
    "colon": "{name}: {do}, thanks.",
    "question": "Could you {do}?",
    "over": "Over to {name}: please {do}.",
    "bare": "Please {do}.",
}
LEAD, LOOKER, DOER = range(3)


class Team(NamedTuple):
    """One domain with one set of values and one style."""

    told: dict[str, Any]
    values: dict[str, str]
    style: str

    def say(self, name: str) -> str:
        return str(self.told[name]).format(**self.values)

    def give(self, to: int, work: str) -> str:
        return STYLES[self.style].format(name=self.told["agents"][to][1], do=work.format(**self.values))

    def call(self, name: str, values: dict[str, str] | None = None) -> ToolCall:
        tool, parameters, result = json.loads(json.dumps(self.told[name]))
        return ToolCall(tool, fill(parameters, values or self.values), fill(result, values or self.values))

    def by(self, who: int, text: str, *steps: Step) -> Interaction:
        return Interaction(self.told["agents"][who][0], text, steps)


def fill(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: fill(part, values) for key, part in value.items()}
    return value.format(**values) if isinstance(value, str) else value


def good_parts(team: Team) -> list[Interaction]:
    """The first turn of a run that goes well."""
    say = team.say
    return [
        team.by(LEAD, team.give(LOOKER, "find out " + team.told["ask"])),
        team.by(LOOKER, say("found"), Step(say("look_thought"), None, None, team.call("look"))),
        team.by(LEAD, team.give(DOER, team.told["do"] + team.told["keep"])),
        team.by(DOER, say("done"), Step(say("thought"), None, None, team.call("deed"))),
        team.by(LEAD, say("final")),
    ]


def make_trace(team: Team, parts: list[Interaction], closing: tuple[str, str] | None = None) -> Trace:
    agents = tuple(
        TraceAgent(
            agent_id,
            name,
            role,
            description,
            (),
            tuple(Tool(tool, None, schema(team, tool)) for tool in tools),
        )
        for agent_id, name, role, description, tools in team.told["agents"]
    )
    user, bye = closing or (team.say("thanks"), team.say("bye"))
    turns = [Turn(0, team.say("user"), None, tuple(parts))]
    if closing != ("", ""):
        turns.append(Turn(1, user, None, (team.by(LEAD, bye),)))
    return Trace("planted", tuple(turns), agents, team.say("task"))


def schema(team: Team, tool: str) -> dict[str, Any]:
    keys = next(call[1] for name in ("look", "deed") if (call := team.told[name])[0] == tool)
    return {"type": "object", "properties": {key: {} for key in keys}, "required": []}


def replace(parts: list[Interaction], **changed: Interaction) -> list[Interaction]:
    return [changed.get(f"p{k}", part) for k, part in enumerate(parts)]


class Planted(NamedTuple):
    """A run with a fault: which score should fall, and who is to blame where."""

    kind: str
    score: str
    trace: Trace
    blame: tuple[int, int]


def plant(team: Team) -> Iterator[Planted]:
    """Every kind of fault, each alone."""
    say, give, by, call, good = team.say, team.give, team.by, team.call, good_parts(team)
    vague = by(LEAD, give(DOER, team.told["vague"]))

    def planted(kind: str, score: str, parts: list[Interaction], at: int, closed: bool = False) -> Planted:
        return Planted(kind, score, make_trace(team, parts, ("", "") if closed else None), (0, at))

    def act(name: str, said: str, thought: str | None = None) -> Interaction:
        return by(DOER, said, Step(thought, None, None, call(name)))

    asked = [*good[:2], vague, by(DOER, say("back")), *good[2:]]
    yield planted("fact asked for", "handoff", asked, 2)
    guessed = [*good[:2], vague, act("deed_guess", say("done_without")), by(LEAD, say("final_without"))]
    yield planted("fact guessed", "handoff", guessed, 2)
    silent = by(LEAD, give(DOER, team.told["do"]))
    lost = [*good[:2], silent, act("deed_without", say("done_without")), by(LEAD, say("final_without"))]
    yield planted("constraint lost", "handoff", lost, 2)
    yield planted("duplicate work", "coordination", [*good[:2], *good[:2], *good[2:]], 2)
    again = [by(LEAD, give(LOOKER, "look at that once more")), by(LOOKER, "I need your word first, then I look.")]
    yield planted("loop of two", "coordination", [*good[:2], *again * 3, *good[2:]], 2)
    wait = by(LEAD, f"There is no answer from {team.told['agents'][DOER][1]} yet, I keep waiting.")
    yield planted("dead end", "coordination", [*good[:3], wait], 2, closed=True)
    name = team.told["agents"][DOER][1]
    for k, text in enumerate((f"{name} reports: ", f"According to {name}: ", f"{name} has told me this. ")):
        yield planted(f"speaks for another {k}", "coordination", [*good[:2], by(LEAD, text + say("done"))], 2)
    wrong = by(LEAD, give(LOOKER, team.told["do"] + team.told["keep"]))
    acts = by(LOOKER, say("done"), *good[3].agent_steps)
    yield planted("wrong agent acts", "coordination", [*good[:2], wrong, acts, good[4]], 2)
    yield planted("wrong agent refuses", "coordination", [*good[:2], wrong, by(LOOKER, say("refusal")), *good[2:]], 2)
    yield planted("swapped workers", "coordination", swap(team, good, LOOKER, DOER), 1)
    yield planted("swapped lead", "coordination", swap(team, good, LEAD, LOOKER), 0)
    told = by(LOOKER, say("found_wrong"), *good[1].agent_steps)
    yield planted("contradiction found", "coordination", replace(good, p1=told), 1)
    told = by(DOER, say("done_wrong"), *good[3].agent_steps)
    yield planted("contradiction done", "coordination", replace(good, p3=told), 3)
    yield planted("part missing", "coordination", [good[0], *good[2:]], 0)
    yield planted("part repeated", "coordination", [*good[:4], good[1], good[4]], 4)
    off = act("off", say("off_said"))
    yield planted("off goal", "drift", [*good[:3], off, by(LEAD, say("off_said"))], 3)
    against = by(DOER, say("done"), Step(say("thought_against"), None, None, call("deed")))
    yield planted("thought against deed", "reasoning", replace(good, p3=against), 3)
    words = call("deed").tool_name.replace("_", " ")
    forbidden = by(DOER, say("done"), Step(f"I must not {words} before somebody allows it.", None, None, call("deed")))
    yield planted("thought forbids deed", "reasoning", replace(good, p3=forbidden), 3)
    beside = by(DOER, say("done"), Step(say("beside"), None, None, call("deed")))
    yield planted("thought beside the point", "reasoning", replace(good, p3=beside), 3)
    sums = by(DOER, say("done"), Step(say("thought") + " 4 + 5 = 11, so it fits.", None, None, call("deed")))
    yield planted("sum does not hold", "reasoning", replace(good, p3=sums), 3)


def swap(team: Team, parts: list[Interaction], one: int, two: int) -> list[Interaction]:
    """The parts with two agents' names exchanged."""
    ids = [agent[0] for agent in team.told["agents"]]
    other = {ids[one]: ids[two], ids[two]: ids[one]}
    return [
        Interaction(other.get(part.agent_id, part.agent_id), part.agent_response, part.agent_steps) for part in parts
    ]


def controls(team: Team, other: Team) -> Iterator[tuple[str, Trace]]:
    """Runs in which nothing that matters is different."""
    good = good_parts(team)
    yield "other values", make_trace(other, good_parts(other))
    polite = [
        Interaction(part.agent_id, "Of course. " + (part.agent_response or ""), part.agent_steps) for part in good
    ]
    yield "courtesy", make_trace(team, replace(good, p1=polite[1], p3=polite[3]))
    yield "goes on", make_trace(team, good, (team.say("more"), team.say("more_done")))
    renamed = json.loads(json.dumps(team.told))
    for agent in renamed["agents"]:
        agent[0], agent[1] = agent[0] + "_2", agent[1] + " Two"
    mine = Team(renamed, team.values, team.style)
    yield "renamed", make_trace(mine, good_parts(mine))


class Measured(NamedTuple):
    scores: dict[str, float | None]
    faults: list[RunFault]


def measure(trace: Trace) -> Measured:
    """The four scores of a trace, the handoff being that of the agent that has the lowest."""
    reading = Reading(trace, sentence_model=False)
    handoffs = handoff.measure(reading)
    by_agent: dict[str, list[float | None]] = defaultdict(list)
    for (turn, part), score in handoffs.items():
        by_agent[trace.turns[turn].agent_interactions[part].agent_id].append(score.value)
    drifted = drift.measure(reading).value
    scores = {
        "handoff": min(filter(None, map(average, by_agent.values())), default=None),
        "coordination": coordination.measure(reading).score.value,
        "reasoning": average(score.value for score in reasoning.measure(reading).values()),
        "drift": None if drifted is None else 1 - drifted,
    }
    faults = [fault for module in (coordination, reasoning, drift) for fault in module.find_faults(reading)]
    return Measured(scores, sorted(faults, key=lambda fault: -fault.confidence))


def all_teams() -> list[tuple[Team, Team]]:
    """Every domain in every style, with the same in other values."""
    told = [json.loads(line) for line in (DATA / "teams.jsonl").read_text("utf-8").splitlines()]
    return [
        (Team(one, one["values"][0], style), Team(one, one["values"][1], style)) for one in told for style in STYLES
    ]


def team_runs() -> Iterator[PlantedRun]:
    """Good runs and runs with a fault, as examples of who is to blame."""
    for team, _ in all_teams():
        yield PlantedRun(make_trace(team, good_parts(team)), "teams", "", None, False)
        for planted in plant(team):
            yield PlantedRun(planted.trace, "teams", planted.kind, planted.blame[1], False)


def main(only: str | None) -> None:
    fell: dict[tuple[str, str], list[bool]] = defaultdict(list)
    still: dict[str, list[bool]] = defaultdict(list)
    misses: list[str] = []
    for team, other in all_teams():
        where = f"{team.told['domain']}/{team.style}"
        before = measure(make_trace(team, good_parts(team)))
        misses += [f"good {where}: {fault.kind} {fault.evidence.why}" for fault in before.faults]
        for planted in plant(team):
            after = measure(planted.trace)
            low, high = after.scores[planted.score], before.scores[planted.score]
            seen = low is not None and high is not None and high - low >= FALL
            fell[planted.kind, "falls"].append(seen)
            fell[planted.kind, "below 0.7"].append(low is not None and low < 0.7)
            fell[planted.kind, "place"].append(after.faults[:1] != [] and after.faults[0][2:4] == planted.blame)
            if not seen or (only and planted.kind == only):
                misses.append(f"{planted.kind} {where}: {[(f.kind, f.part, f.evidence.why) for f in after.faults]}")
        for kind, trace in controls(team, other):
            moved = measure(trace).scores
            pairs = [(moved[name], value) for name, value in before.scores.items()]
            still[kind].append(
                all((a is not None and b is not None and abs(a - b) < STILL) or a is b for a, b in pairs)
            )
    for (kind, what), values in fell.items():
        print(f"{kind:26s} {what:10s} {sum(values) / len(values):.2f} of {len(values)}")
    for kind, values in still.items():
        print(f"control {kind:18s} unmoved    {sum(values) / len(values):.2f} of {len(values)}")
    print(*[line for line in misses if only is None or only in line][:60], sep="\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
