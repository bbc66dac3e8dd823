"""Plants faults in good runs: in small team runs written here, and in good recorded runs of permitted sources.

Each planted run names the interaction that holds the fault, and whether its goal was missed by it. The good run is kept too.
"""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from training.sources import SEED
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn

DRAWS = 12  # runs of each domain, with other values


class PlantedRun(NamedTuple):
    """A run with at most one fault. `part` counts the interactions of the whole run; None in a good run."""

    trace: Trace
    source: str
    kind: str
    part: int | None
    failed: bool


class Domain(NamedTuple):
    """A domain of team runs: who leads, finds and does; what is asked, found, told and done. Braces hold drawn values."""

    name: str
    lead: str
    finder: str
    doer: str
    task: str
    rule: str
    ask: str
    find_tool: str
    key: str
    found: str
    report: str
    order: str
    order_rule: str
    do_tool: str
    setting: str
    done: str
    did: str
    final: str
    thanks: str


# {id} is what the user names, {n} what the finder learns, {m} what the doer gets back, {o} and {p} other values; {c} is the
# user's condition, {d} what one would take without it.
DOMAINS = (
    Domain(
        "library", "frontdesk", "catalogue", "loans", "Extend my loan of volume {id} until {c}.", "It must not be later than {c}.",
        "catalogue, could you check volume {id}?", "search_catalogue", "volume", "volume {id}: on loan, shelf mark {n}, no reservations",
        "Volume {id} has shelf mark {n} and nobody waits for it.", "loans, extend the loan of volume {id}, shelf mark {n}",
        ", but only until {c}", "extend_loan", "until", "slip {m}: {id} extended until {x}", "Loan of {id} extended until {x}, slip {m}.",
        "Your loan of volume {id} now runs until {x}. The slip is {m}.", "Lovely, cheers.",
    ),
    Domain(
        "lab", "planner", "inventory", "robot", "Spin sample {id} at {c} rpm.", "Not a bit faster than {c} rpm, it is fragile.",
        "inventory: where is sample {id}?", "locate_sample", "sample", "sample {id}: rack {n}, sealed",
        "Sample {id} stands in rack {n}, sealed.", "robot: take sample {id} from rack {n} and spin it", " at {c} rpm at most",
        "run_centrifuge", "speed", "protocol {m}: {id} at {x} rpm, finished", "Protocol {m}: {id} was spun at {x} rpm.",
        "Sample {id} from rack {n} was spun at {x} rpm, see protocol {m}.", "Perfect.",
    ),
    Domain(
        "museum", "host", "calendar", "boxoffice", "I would like tickets for tour {id} on day {c}.", "Only day {c} suits us.",
        "calendar, when does tour {id} start?", "read_calendar", "tour", "tour {id}: guide {n}, free places",
        "Tour {id} is led by guide {n} and has places.", "boxoffice, issue tickets for tour {id} with guide {n}", " for day {c}",
        "issue_tickets", "day", "tickets {m}: tour {id}, day {x}", "Tickets {m} for tour {id} on day {x} are issued.",
        "You are booked on tour {id} with guide {n} on day {x}; tickets {m}.", "Great, see you then.",
    ),
    Domain(
        "payroll", "clerk", "ledger", "payments", "Correct the overtime of employee {id} to {c} hours.", "{c} hours exactly, as signed.",
        "ledger, show me employee {id}.", "open_ledger", "employee", "employee {id}: cost centre {n}, overtime open",
        "Employee {id} belongs to cost centre {n}; the overtime is open.", "payments, book overtime for employee {id}, cost centre {n}",
        ": {c} hours", "book_overtime", "hours", "entry {m}: {id}, {x} hours", "Entry {m} has {x} hours for {id}.",
        "The overtime of employee {id} is {x} hours now, entry {m}.", "Thanks a lot!",
    ),
    Domain(
        "garden", "steward", "sensors", "valves", "Water bed {id} for {c} minutes.", "{c} minutes and no more, the roots rot.",
        "sensors, how dry is bed {id}?", "read_sensor", "bed", "bed {id}: moisture {n}, valve closed",
        "Bed {id} has a moisture of {n} and its valve is closed.", "valves, open bed {id}, moisture {n}", " for {c} minutes",
        "open_valve", "minutes", "run {m}: bed {id}, {x} minutes", "Run {m}: bed {id} gets {x} minutes.",
        "Bed {id} (moisture {n}) is being watered for {x} minutes, run {m}.", "Good.",
    ),
    Domain(
        "school", "registrar", "records", "enrolment", "Enrol pupil {id} in group {c}.", "It has to be group {c} because of the bus.",
        "records, please check pupil {id}.", "get_record", "pupil", "pupil {id}: year {n}, no group yet",
        "Pupil {id} is in year {n} and has no group yet.", "enrolment, add pupil {id} of year {n} to a group", "; the group is {c}",
        "enrol_pupil", "group", "number {m}: {id} in group {x}", "Pupil {id} is in group {x} now, number {m}.",
        "Pupil {id} of year {n} is enrolled in group {x} under number {m}.", "Thank you.",
    ),
)  # fmt: skip


class Parts(NamedTuple):
    """The parts of a written run, still to be spoilt."""

    domain: Domain
    values: dict[str, str]
    acts: list[Interaction]


def fill(text: str, values: dict[str, str], **other: str) -> str:
    return text.format(**(values | {"x": values["c"]} | other))


def draw(domain: Domain, number: int) -> dict[str, str]:
    rng = random.Random(f"{SEED} {domain.name} {number}")
    names = ("id", "n", "m", "o", "p", "c", "d")
    found = rng.sample(range(12, 990), len(names))
    return {
        name: f"{value:03d}" if name in ("id", "m", "o") else str(value)
        for name, value in zip(names, found, strict=True)
    }


def lead(domain: Domain, text: str) -> Interaction:
    return Interaction(domain.lead, text)


def find(domain: Domain, v: dict[str, str], **other: str) -> Interaction:
    more = {"limit": 10 + int(v["id"]) % 7 * 5} if int(v["id"]) % 3 else {}  # a default that nobody named
    call = ToolCall(domain.find_tool, {domain.key: v["id"], **more}, fill(domain.found, v))
    return Interaction(domain.finder, fill(domain.report, v, **other), (Step(tool_call=call),))


def do(
    domain: Domain, v: dict[str, str], result: str | None = None, error: str | None = None, **other: str
) -> Interaction:
    arguments = {
        domain.key: other.get("key", v["id"]),
        "with": other.get("n", v["n"]),
        domain.setting: other.get("x", v["c"]),
    }
    back = fill(domain.done, v, **other) if result is None and error is None else result
    thought = f"I use {arguments['with']} and set {domain.setting} to {arguments[domain.setting]}."
    steps = (Step(thought=thought), Step(tool_call=ToolCall(domain.do_tool, arguments, back, error)))
    return Interaction(domain.doer, fill(domain.did, v, **other), steps)


def good_parts(domain: Domain, number: int) -> Parts:
    v = draw(domain, number)
    order = fill(domain.order + domain.order_rule + ".", v)
    acts = [lead(domain, fill(domain.ask, v)), find(domain, v), lead(domain, order), do(domain, v)]
    return Parts(domain, v, [*acts, lead(domain, fill(domain.final, v))])


def opening(domain: Domain, number: int) -> list[Interaction]:
    """Words before the work, so that the length of a run says nothing about it."""
    talk = [lead(domain, "Good morning, all. There is a new request."), Interaction(domain.finder, "I am ready.")]
    return [*talk, lead(domain, "Then let us begin.")][: number % 4]


COMPLAINTS = (
    "No, that is not what I asked for.", "This is wrong. I said {c}.", "You did not listen, it had to be {c}!",
    "It still is not done.", "That does not help me at all, please read my message again.", "Wrong again, I wanted {c}.",
)  # fmt: skip


def complain(parts: Parts, number: int) -> Trace:
    """A run after which the user complains and gets an excuse."""
    trace = finish(
        parts, [*parts.acts[:4], lead(parts.domain, fill(parts.domain.final, parts.values, x=parts.values["p"]))]
    )
    words = fill(COMPLAINTS[number % len(COMPLAINTS)], parts.values)
    sorry = Turn(1, words, None, (lead(parts.domain, "I am sorry about that."),))
    return msgspec.structs.replace(trace, turns=(trace.turns[0], sorry))


def finish(parts: Parts, acts: list[Interaction], thanks: bool = True) -> Trace:
    d, v = parts.domain, parts.values
    first = Turn(0, f"{fill(d.task, v)} {fill(d.rule, v)}", None, tuple(acts))
    after = Turn(1, d.thanks, None, (lead(d, "You are welcome."),))
    schema = {"type": "object", "properties": {d.key: {}, "with": {}, d.setting: {}}, "required": [d.key, d.setting]}
    find_schema = {"type": "object", "properties": {d.key: {}, "limit": {}}, "required": [d.key]}
    agents = (
        TraceAgent(d.lead, role="coordinator", tools_available=()),
        TraceAgent(d.finder, role="looks things up", tools_available=(Tool(d.find_tool, None, find_schema),)),
        TraceAgent(d.doer, role="carries orders out", tools_available=(Tool(d.do_tool, None, schema),)),
    )
    return Trace("written", (first, after) if thanks else (first,), agents, fill(d.task, v))


# Each fault gives the acts of the spoilt run, the part that holds the fault, and whether the goal was missed.
Spoilt = tuple[list[Interaction], int, bool]


def wrong_argument(p: Parts) -> Spoilt:
    return [*p.acts[:3], do(p.domain, p.values, key=p.values["o"], n=p.values["p"]), p.acts[4]], 3, True


def wrong_result_told(p: Parts) -> Spoilt:
    return [*p.acts[:4], lead(p.domain, fill(p.domain.final, p.values, m=p.values["o"], x=p.values["p"]))], 4, True


def worker_tells_wrong(p: Parts) -> Spoilt:
    told = find(p.domain, p.values, n=p.values["o"])
    order = lead(p.domain, fill(p.domain.order + p.domain.order_rule + ".", p.values, n=p.values["o"]))
    return [p.acts[0], told, order, do(p.domain, p.values, n=p.values["o"]), p.acts[4]], 1, True


def dropped_condition(p: Parts) -> Spoilt:
    other = p.values["d"]
    order = lead(p.domain, fill(p.domain.order + ".", p.values))
    final = lead(p.domain, fill(p.domain.final, p.values, x=other))
    return [*p.acts[:2], order, do(p.domain, p.values, x=other), final], 2, True


def dropped_finding(p: Parts) -> Spoilt:
    order = lead(p.domain, f"{p.domain.doer}, please go ahead with it.")
    return [*p.acts[:2], order, do(p.domain, p.values, n=p.values["o"]), p.acts[4]], 2, True


def wrong_agent(p: Parts) -> Spoilt:
    order = (p.acts[2].agent_response or "").replace(p.domain.doer, p.domain.finder)
    no = Interaction(p.domain.finder, f"That is not mine to do, I have no {p.domain.do_tool}.")
    return [*p.acts[:2], lead(p.domain, order), no, lead(p.domain, "I am afraid this was not done.")], 2, True


def wrong_agent_obeys(p: Parts) -> Spoilt:
    order = (p.acts[2].agent_response or "").replace(p.domain.doer, p.domain.finder)
    did = msgspec.structs.replace(p.acts[3], agent_id=p.domain.finder)
    return [*p.acts[:2], lead(p.domain, order), did, p.acts[4]], 2, False


def has_to_be_asked(p: Parts) -> Spoilt:
    vague, asks = (
        lead(p.domain, f"{p.domain.doer}, please go ahead."),
        Interaction(p.domain.doer, "With what, and for whom?"),
    )
    return [*p.acts[:2], vague, asks, *p.acts[2:]], 2, False


def other_agent_acts(p: Parts) -> Spoilt:
    took = msgspec.structs.replace(p.acts[3], agent_id=p.domain.lead)
    return [*p.acts[:2], took, p.acts[4]], 2, False


def repeated_part(p: Parts) -> Spoilt:
    return [*p.acts[:2], p.acts[1], *p.acts[2:]], 2, False


def missing_part(p: Parts) -> Spoilt:
    return [*p.acts[:3], p.acts[4]], 3, True


def error_ignored(p: Parts) -> Spoilt:
    return [*p.acts[:3], do(p.domain, p.values, error="503 service unavailable"), p.acts[4]], 3, True


def refusal_ignored(p: Parts) -> Spoilt:
    refused = ("request declined by the owner", "not permitted for this account", "limit reached, left as it was")
    result = refused[int(p.values["id"]) % len(refused)]
    return [*p.acts[:3], do(p.domain, p.values, result=result), p.acts[4]], 3, True


def beside_the_goal(p: Parts) -> Spoilt:
    extra = Step(
        tool_call=ToolCall("order_catering", {"menu": "buffet", "guests": 40}, "catering ordered for 40 guests")
    )
    act = msgspec.structs.replace(p.acts[3], agent_steps=(*p.acts[3].agent_steps, extra))
    return [*p.acts[:3], act, p.acts[4]], 3, False


def contradiction(p: Parts) -> Spoilt:
    claim = Interaction(p.domain.doer, fill(p.domain.report, p.values, n=p.values["p"]))
    return [*p.acts[:2], claim, *p.acts[2:]], 2, False


def gives_up(p: Parts) -> Spoilt:
    call = p.acts[1].agent_steps
    sorry = Interaction(p.domain.finder, f"I could not find anything about {p.values['id']}, unfortunately.", call)
    return [p.acts[0], sorry, lead(p.domain, "Unfortunately I cannot help with this today.")], 1, True


def made_up(p: Parts) -> Spoilt:
    claim = Interaction(
        p.domain.finder,
        "I have no access right now, so let us assume: " + fill(p.domain.report, p.values, n=p.values["o"]),
    )
    order = lead(p.domain, fill(p.domain.order + p.domain.order_rule + ".", p.values, n=p.values["o"]))
    return [p.acts[0], claim, order, do(p.domain, p.values, n=p.values["o"]), p.acts[4]], 1, True


def claimed_lookup(p: Parts) -> Spoilt:
    claim = Interaction(p.domain.finder, "I have checked it. " + fill(p.domain.report, p.values, n=p.values["o"]))
    order = lead(p.domain, fill(p.domain.order + p.domain.order_rule + ".", p.values, n=p.values["o"]))
    return [p.acts[0], claim, order, do(p.domain, p.values, n=p.values["o"]), p.acts[4]], 1, True


def promise_only(p: Parts) -> Spoilt:
    later = Interaction(p.domain.doer, "I will take care of it soon.")
    return [*p.acts[:3], later, lead(p.domain, "It will be taken care of.")], 3, True


def endless_asking(p: Parts) -> Spoilt:
    ask, back = (
        lead(p.domain, f"{p.domain.doer}, is it ready?"),
        Interaction(p.domain.doer, "I wait for your word. Is it ready?"),
    )
    return [*p.acts[:3], back, ask, back, ask, back, lead(p.domain, "There is no result yet.")], 3, True


FAULTS: dict[str, Callable[[Parts], Spoilt]] = {
    made.__name__.replace("_", " "): made
    for made in (
        wrong_argument, wrong_result_told, worker_tells_wrong, dropped_condition, dropped_finding, wrong_agent, wrong_agent_obeys, has_to_be_asked,
        other_agent_acts, repeated_part, missing_part, error_ignored, refusal_ignored, beside_the_goal, contradiction,
        gives_up, made_up, claimed_lookup, promise_only, endless_asking,
    )
}  # fmt: skip


def written_runs() -> Iterator[PlantedRun]:
    """Good and spoilt runs of every domain."""
    for domain in DOMAINS:
        for number in range(DRAWS):
            parts = good_parts(domain, number)
            source = f"written {domain.name}"
            for more in range(4):
                acts = [*opening(domain, more), *parts.acts]
                yield PlantedRun(finish(parts, acts, thanks=more % 2 == 0), source, "", None, False)
            yield PlantedRun(complain(parts, number), source, "user complains", 4, True)
            for k, (kind, spoil) in enumerate(FAULTS.items()):
                acts, part, failed = spoil(parts)
                before = opening(domain, k + number)
                yield PlantedRun(
                    finish(parts, [*before, *acts], number % 2 == 0), source, kind, part + len(before), failed
                )


# One agent with both tools, for whom the goal is missed by how it ends.


def solo_runs() -> Iterator[PlantedRun]:
    """Good and failed runs of a single agent in every domain."""
    for domain in DOMAINS:
        for number in range(DRAWS):
            parts = good_parts(domain, number)
            looked, acted = (part.agent_steps for part in (parts.acts[1], parts.acts[3]))
            final, v = parts.acts[4].agent_response or "", parts.values
            tool = acted[-1].tool_call or ToolCall("")
            broken = Step(tool_call=ToolCall(tool.tool_name, tool.parameters, None, "timeout while writing"))
            refused = Step(tool_call=ToolCall(tool.tool_name, tool.parameters, "declined: no rights for this"))
            endings: dict[str, tuple[tuple[Step, ...], str | None]] = {
                "": ((*looked, *acted), final),
                "only claimed": (looked, final),
                "asks back": (looked, f"I found {v['n']}. Could you tell me which {domain.setting} you want?"),
                "plans": (looked, f"{fill(domain.report, v)} Next, I will see to the rest."),
                "gives up": (looked, "I am unable to do this with my tools."),
                "error told as done": ((*looked, broken), final),
                "refusal told as done": ((*looked, refused), final),
                "refusal reported": (
                    (*looked, refused),
                    "I could not do it: the request was declined, no rights for this.",
                ),
                "no answer": (looked, None),
            }
            for kind, (steps, said) in endings.items():
                acts = [Interaction(domain.lead, said, steps)]
                yield PlantedRun(alone(parts, acts), f"solo {domain.name}", kind, 0 if kind else None, bool(kind))


def alone(parts: Parts, acts: list[Interaction]) -> Trace:
    """A run of the lead alone, who has every tool."""
    trace = finish(parts, acts, thanks=False)
    tools = tuple(tool for agent in trace.agents for tool in agent.tools_available or ())
    agent = TraceAgent(parts.domain.lead, tools_available=tools)
    return msgspec.structs.replace(trace, agents=(agent,))


# Faults that can be planted without knowing what a recorded run is about.


class Placed(NamedTuple):
    """One interaction of a recorded run, and the position of its turn."""

    turn: int
    act: Interaction


Plant = Callable[[list[Placed], random.Random], tuple[list[Placed], int] | None]  # None where there is no room for it


def part_again(acts: list[Placed], rng: random.Random) -> tuple[list[Placed], int] | None:
    if len(acts) < 4:
        return None
    at = rng.randrange(1, len(acts) - 1)
    return [*acts[: at + 1], acts[at], *acts[at + 1 :]], at + 1


def other_figure(acts: list[Placed], rng: random.Random) -> tuple[list[Placed], int] | None:
    """A newcomer contradicts."""
    if len(acts) < 4:
        return None
    at = rng.randrange(1, len(acts) - 1)
    said = Interaction("reviewer", f"I disagree with all of this. The right figure is {rng.randrange(1_000, 9_999)}.")
    return [*acts[:at], Placed(acts[at].turn, said), *acts[at:]], at


def number_told_wrong(acts: list[Placed], rng: random.Random) -> tuple[list[Placed], int] | None:
    told = [k for k, one in enumerate(acts) if re.search(r"\d\d", one.act.agent_response or "")]
    if not told or len(acts) < 2:
        return None
    at = told[-1]
    said = acts[at].act.agent_response or ""
    last = [*re.finditer(r"\d+", said)][-1]
    spoilt = f"{said[: last.start()]}{int(last[0][:9]) * 3 + 7}{said[last.end() :]}"
    return replace_act(acts, at, msgspec.structs.replace(acts[at].act, agent_response=spoilt)), at


def error_behind_success(acts: list[Placed], rng: random.Random) -> tuple[list[Placed], int] | None:
    """The last output or call becomes an error, and all goes on as if it had worked."""
    for at in range(len(acts) - 1, -1, -1):
        steps = acts[at].act.agent_steps
        call = steps[-1].tool_call if steps else None
        if call is not None and len(acts) > 1:
            broken = Step(tool_call=ToolCall(call.tool_name, call.parameters, None, "503 service unavailable"))
            return replace_act(acts, at, msgspec.structs.replace(acts[at].act, agent_steps=(*steps[:-1], broken))), at
        if steps and not acts[at].act.agent_response and at:
            broken = Step(observation="exitcode: 1\nTraceback: ValueError: bad input")
            return replace_act(acts, at, Interaction(acts[at].act.agent_id, None, (broken,))), at - 1
    return None


def argument_changed(acts: list[Placed], rng: random.Random) -> tuple[list[Placed], int] | None:
    """An identifier of one call is no longer the one that was said."""
    for at in range(len(acts) - 1, -1, -1):
        for k, step in enumerate(acts[at].act.agent_steps):
            written = msgspec.json.encode(step.tool_call.parameters).decode() if step.tool_call else ""
            if step.tool_call and len(acts) > 1 and (found := re.search(r"\d{4,}", written)):
                spoilt = (
                    f"{written[: found.start()]}{(int(found[0]) + 1_111) % 10 ** len(found[0])}{written[found.end() :]}"
                )
                call = msgspec.structs.replace(step.tool_call, parameters=msgspec.json.decode(spoilt))
                steps = (*acts[at].act.agent_steps[:k], Step(tool_call=call), *acts[at].act.agent_steps[k + 1 :])
                return replace_act(acts, at, msgspec.structs.replace(acts[at].act, agent_steps=steps)), at
    return None


def replace_act(acts: list[Placed], at: int, act: Interaction) -> list[Placed]:
    return [*acts[:at], Placed(acts[at].turn, act), *acts[at + 1 :]]


RECORDED_FAULTS: tuple[Plant, ...] = (
    part_again,
    other_figure,
    number_told_wrong,
    error_behind_success,
    argument_changed,
)


def recorded_faults(trace: Trace, source: str, number: int) -> Iterator[PlantedRun]:
    """A good recorded run, and the same with one fault each."""
    yield PlantedRun(trace, source, "", None, False)
    acts = [Placed(t, act) for t, turn in enumerate(trace.turns) for act in turn.agent_interactions]
    for plant in RECORDED_FAULTS:
        spoilt = plant(acts, random.Random(f"{SEED} {source} {number}"))
        if spoilt is not None:
            kind = getattr(plant, "__name__", "").replace("_", " ")
            yield PlantedRun(rebuild(trace, spoilt[0]), source, kind, spoilt[1], True)


def rebuild(trace: Trace, acts: list[Placed]) -> Trace:
    turns = tuple(
        msgspec.structs.replace(turn, agent_interactions=tuple(one.act for one in acts if one.turn == t))
        for t, turn in enumerate(trace.turns)
    )
    agents = {agent.id: agent for agent in trace.agents}
    agents |= {one.act.agent_id: TraceAgent(one.act.agent_id) for one in acts if one.act.agent_id not in agents}
    return msgspec.structs.replace(trace, turns=turns, agents=tuple(agents.values()))
