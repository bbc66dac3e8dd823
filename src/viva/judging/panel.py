"""Several judges who grade the same texts, each on its own, on guard against texts that would talk them round."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from viva.judging.canaries import control, instructions_in, strike_instructions
from viva.judging.model import MAX_RULING_REASON_CHARACTERS, Grade, Grading, Judge, Rulings
from viva.judging.prompting import shorten_middle

MAX_INSTRUCTIONS_SHOWN = 5  # instructions that are told
MAX_INSTRUCTION_CHARACTERS = 240  # characters of each
LOWER_MARK_NOTE = " (The lower of two marks: with and without words that could instruct the judge.)"


class Assessment(msgspec.Struct, frozen=True):
    """What each judge gives for one grading; None is unscored."""

    grades: dict[str, Grade | None]
    instructions: list[str]  # what in the texts tried to instruct the judge
    misled: list[str]  # the judges who let themselves be talked round, or give marks for nothing
    lost: bool  # a grade is missing for a cause on the way, so that asking later may help


class Ground(NamedTuple):
    """What the gradings on the same texts have in common."""

    control: Grading
    struck: Mapping[str, str] | None  # the texts without instructions, if they have any
    instructions: list[str]


class PanelCase(NamedTuple):
    """One grading as it is put: the places of its control and of its readings among the questions."""

    control: int
    readings: range
    instructions: list[str]


class Panel:
    """Its judges by name; without any it is false, and grades nothing."""

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = name_judges(judges)

    def __bool__(self) -> bool:
        return bool(self.judges)

    def only(self, model: str | None) -> "Panel":
        """The one judge with that model, if there is one; else all."""
        chosen = [judge for judge in self.judges.values() if judge.model == model]
        return Panel(chosen[:1]) if chosen else self

    def grade(self, gradings: Sequence[Grading], strangers: str | None = None) -> list[Assessment]:
        """Have each judge grade, all judges at once, each with its whole budget.

        `strangers` names the one text that is a stranger's; without it all of them are.
        """
        questions, cases = prepare_questions(gradings, strangers)
        hearings = self._hearings(questions)
        return [assessment(case, hearings) for case in cases]

    def _hearings(self, questions: list[Grading]) -> dict[str, Rulings[Grade]]:
        if not self.judges:
            return {}
        with ThreadPoolExecutor(len(self.judges)) as pool:
            heard = pool.map(lambda judge: judge.afresh().hear(questions), self.judges.values())
            return dict(zip(self.judges, heard, strict=True))


def name_judges(judges: Sequence[Judge]) -> dict[str, Judge]:
    """Each by its model; where several have the same, the others are numbered."""
    names: dict[str, Judge] = {}
    for judge in judges:
        numbered = (f"{judge.model} ({number})" if number > 1 else judge.model for number in count(1))
        names[next(name for name in numbered if name not in names)] = judge
    return names


def prepare_questions(gradings: Sequence[Grading], strangers: str | None) -> tuple[list[Grading], list[PanelCase]]:
    """The questions: a control for each set of texts, and each grading with its texts as they are and struck."""
    keys = [frozenset(grading.texts.items()) for grading in gradings]
    grounds = {key: ground(grading, strangers) for key, grading in dict(zip(keys, gradings, strict=True)).items()}
    places = {key: place for place, key in enumerate(grounds)}
    # Controls come first: when the budget ends early, it is grades that are missing, not the checks on them.
    questions = [shared.control for shared in grounds.values()]
    cases = []
    for key, grading in zip(keys, gradings, strict=True):
        shared, first = grounds[key], len(questions)
        questions += [grading] if shared.struck is None else [grading, replace(grading, texts=shared.struck)]
        cases.append(PanelCase(places[key], range(first, len(questions)), shared.instructions))
    return questions, cases


def ground(grading: Grading, strangers: str | None) -> Ground:
    texts = grading.texts
    # A name that is not there watches all texts, lest none is watched.
    watched = [name for name in texts if strangers not in texts or name == strangers]
    cleared = {name: strike_instructions(texts[name]) for name in watched}
    has_changed = any(shorten_middle(texts[name]) != text for name, text in cleared.items())
    found = [sentence[:MAX_INSTRUCTION_CHARACTERS] for name in watched for sentence in instructions_in(texts[name])]
    return Ground(
        control(texts, grading.most), {**texts, **cleared} if has_changed else None, found[:MAX_INSTRUCTIONS_SHOWN]
    )


def assessment(case: PanelCase, hearings: Mapping[str, Rulings[Grade]]) -> Assessment:
    misled = [name for name, hearing in hearings.items() if is_misled(hearing.rulings[case.control])]
    fair = {name: hearing for name, hearing in hearings.items() if name not in misled}
    grades = {name: lowest(hearing, case) if name in fair else None for name, hearing in hearings.items()}
    lost = any(hearing.lost[reading] for hearing in fair.values() for reading in case.readings)
    return Assessment(grades, case.instructions, misled, lost)


def is_misled(control: Grade | None) -> bool:
    """A control without an answer shows nothing: to drop the grades for it would let a slow moment undo good ones."""
    return control is not None and control.mark > 0


def lowest(hearing: Rulings[Grade], case: PanelCase) -> Grade | None:
    """The lower mark counts, so that words to the judge never raise it; where one of two is missing, none is known."""
    grades = [hearing.rulings[reading] for reading in case.readings]
    given = [grade for grade in grades if grade is not None]
    if len(given) < len(grades):
        return None
    least = min(given, key=lambda grade: grade.mark)
    return (
        least
        if len(given) == 1
        else replace(
            least, reason=least.reason[: MAX_RULING_REASON_CHARACTERS - len(LOWER_MARK_NOTE)] + LOWER_MARK_NOTE
        )
    )
