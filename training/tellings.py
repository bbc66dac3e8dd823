"""Answers held against tool results, to learn from: labelled ones, and answers of good runs in which a number is changed."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from training.fitting import DATA
from training.sources import SEED, Pair, read_pairs
from viva.engine.claims.mismatches import Comparison, compare
from viva.engine.claims.outcomes import find_clash
from viva.engine.claims.record import Record, parse
from viva.engine.model import ToolCall
from viva.engine.text.values import values

GROUNDED = ("e2e_slots", "sgd_grounded", "star_grounded")
STEPS = "sgd_planted_steps"
RUNS = ("mint_runs", "tau_retail_runs")  # of which the good ones get a fault
SPEAKER = re.compile(r"\n(?=(?:user|assistant|tool|environment): )")
ANSWERS_A_RUN = 4
WRITTEN = "outcomes.tsv"


class TellingExample(NamedTuple):
    """An answer held against its record, and whether it is wrong."""

    source: str
    wrong: int
    comparison: Comparison
    response: str


def telling_examples(folder: Path, most: int) -> list[TellingExample]:
    """Examples of all sources, at most so many pairs or runs of each."""
    found = [one for source in GROUNDED for pair in read_pairs(folder, source, most) for one in grounded(pair)]
    found += [one for pair in read_pairs(folder, STEPS, most) for one in stepped(pair)]
    chance = random.Random(SEED)
    found += [one for source in RUNS for pair in read_pairs(folder, source, most) for one in planted(pair, chance)]
    return found + list(written())


def grounded(pair: Pair) -> Iterator[TellingExample]:
    """A labelled answer. Another item than asked for is no fault that the record shows."""
    if pair.more.get("fault") == ["item"]:
        return
    record = Record()
    record.hear(pair.context, 0)
    for line in pair.text_a.split("\n") if pair.source == "sgd_grounded" else [pair.text_a.replace("\n", "; ")]:
        record.see(line, 0)
    yield TellingExample(pair.source, 1 - int(pair.label), compare(pair.text_b, record), pair.text_b)


def stepped(pair: Pair) -> Iterator[TellingExample]:
    """An answer with a right or a wrong value, after the run so far."""
    response = pair.text_b.removeprefix("assistant: ")
    if response == pair.text_b or pair.more.get("fault") not in (None, "value"):
        return
    record = Record()
    for line in pair.text_a.split("\n"):
        if line.startswith("result: "):
            for row in line.removeprefix("result: ").split(" | "):
                record.see(row, 0)
        else:
            record.hear(line.partition(": ")[2], 0)
    yield TellingExample(pair.source, 1 - int(pair.label), compare(response, record), response)


def planted(pair: Pair, chance: random.Random) -> Iterator[TellingExample]:
    """The answers of a good run, as they are and with a number changed."""
    if int(pair.label) != 1:
        return
    record, given = Record(), 0
    record.hear(pair.text_a if pair.source == "mint_runs" else "", 0)
    for piece in SPEAKER.split(pair.text_b):
        who, _, said = piece.partition(": ")
        if who in ("tool", "environment"):
            record.see(said.removeprefix("result ").removeprefix("Observation:\n"), 0)
            continue
        if who == "assistant" and record.results and given < ANSWERS_A_RUN and not said.startswith("calls "):
            given += 1
            changed = change_number(said, chance)
            for response in filter(None, (said, changed)) if record.whole else ():
                yield TellingExample(pair.source, int(response is changed), compare(response, record), response)
        record.hear(said, 0)


def change_number(text: str, chance: random.Random) -> str | None:
    """A text with other digits in one of its values; None where it has none."""
    found = [value for value in values(text) if value.kind != "state" and re.search(r"\d", value.text)]
    if not found:
        return None
    value = chance.choice(found)
    other = "".join(str(chance.randint(1, 9)) if sign.isdigit() else sign for sign in value.text)
    return None if other == value.text else text[: value.start] + other + text[value.start + len(value.text) :]


def written() -> Iterator[TellingExample]:
    """What we wrote ourselves: what a call gave back, what is told of it, and whether that is right."""
    for line in (DATA / WRITTEN).read_text("utf-8").splitlines():
        back, response, right = line.split("\t")
        clash = find_clash(response, [ToolCall("tool", {}, msgspec.to_builtins(parse(back)))])
        yield TellingExample("written", 1 - int(right), Comparison([], None, clash), response)
