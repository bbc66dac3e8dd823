"""Several judges that grade the same texts independently, with checks against texts that instruct them."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from viva.judging.controls import make_control
from viva.judging.instructions import instructions_in, strike_instructions
from viva.judging.model import MAX_RULING_REASON_CHARACTERS, Grade, Grading, Judge, Rulings
from viva.judging.prompting import shorten_middle

MAX_INSTRUCTIONS_SHOWN = 5  # of one grading
MAX_INSTRUCTION_CHARACTERS = 240  # of each
LOWER_MARK_NOTE = " (The lower of two marks: with and without words that could instruct the judge.)"


class Assessment(msgspec.Struct, frozen=True):
    """The grades of all judges for one grading; None is unscored."""

    grades: dict[str, Grade | None]
    instructions: list[str]  # the sentences that tried to instruct the judge
    misled: list[str]  # the judges that gave a mark for the control
    untested: list[str]  # the judges that gave no answer to the control
    lost: bool  # a grade is missing, and a later try may help


class TextChecks(NamedTuple):
    """The checks that all gradings of the same texts share."""

    control: Grading
    struck: Mapping[str, str] | None  # the texts without their instructions, None if they have none
    instructions: list[str]


class PanelCase(NamedTuple):
    """One grading, as the indexes of its control and of its readings among the questions."""

    control: int
    readings: range
    instructions: list[str]


class Panel:
    """Judges by name. A panel without judges is false and grades nothing."""

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = name_judges(judges)

    def __bool__(self) -> bool:
        return bool(self.judges)

    def only(self, model: str | None) -> "Panel":
        """The panel with only the judge of that model, or with all if there is none."""
        chosen = [judge for judge in self.judges.values() if judge.model == model]
        return Panel(chosen[:1]) if chosen else self

    def grade(self, gradings: Sequence[Grading], untrusted: str | None = None) -> list[Assessment]:
        """Let all judges grade in parallel, each with its full budget.

        `untrusted` names the one text by a stranger. Without it all texts are untrusted.
        """
        if not self.judges:  # reading the texts for instructions takes long
            return [Assessment({}, [], [], [], lost=False) for _ in gradings]
        questions, cases = prepare_questions(gradings, untrusted)
        rulings = self._ask_judges(questions)
        return [assess(case, rulings) for case in cases]

    def _ask_judges(self, questions: list[Grading]) -> dict[str, Rulings[Grade]]:
        with ThreadPoolExecutor(len(self.judges)) as pool:
            rulings = pool.map(lambda judge: judge.with_full_budget().ask(questions), self.judges.values())
            return dict(zip(self.judges, rulings, strict=True))


def name_judges(judges: Sequence[Judge]) -> dict[str, Judge]:
    """The judges by model. Further judges of the same model get a number."""
    names: dict[str, Judge] = {}
    for judge in judges:
        numbered = (f"{judge.model} ({number})" if number > 1 else judge.model for number in count(1))
        names[next(name for name in numbered if name not in names)] = judge
    return names


def prepare_questions(gradings: Sequence[Grading], untrusted: str | None) -> tuple[list[Grading], list[PanelCase]]:
    """The questions: a control for each set of texts, then each grading with its original and its struck texts."""
    keys = [frozenset(grading.texts.items()) for grading in gradings]
    checks = {key: check_texts(grading, untrusted) for key, grading in dict(zip(keys, gradings, strict=True)).items()}
    indexes = {key: index for index, key in enumerate(checks)}
    # Controls come first, so that a spent budget costs grades and not the checks on them.
    questions = [shared.control for shared in checks.values()]
    cases = []
    for key, grading in zip(keys, gradings, strict=True):
        shared, first = checks[key], len(questions)
        questions += [grading] if shared.struck is None else [grading, replace(grading, texts=shared.struck)]
        cases.append(PanelCase(indexes[key], range(first, len(questions)), shared.instructions))
    return questions, cases


def check_texts(grading: Grading, untrusted: str | None) -> TextChecks:
    texts = grading.texts
    # An unknown name means that all texts are checked.
    checked = [name for name in texts if untrusted not in texts or name == untrusted]
    struck = {name: strike_instructions(texts[name]) for name in checked}
    has_changed = any(shorten_middle(texts[name]) != text for name, text in struck.items())
    instructions = [
        sentence[:MAX_INSTRUCTION_CHARACTERS] for name in checked for sentence in instructions_in(texts[name])
    ]
    return TextChecks(
        make_control(texts, grading.max_mark),
        {**texts, **struck} if has_changed else None,
        instructions[:MAX_INSTRUCTIONS_SHOWN],
    )


def assess(case: PanelCase, by_judge: Mapping[str, Rulings[Grade]]) -> Assessment:
    """The grades of judges that passed their control. Without an answer to it nobody knows whether a judge can be talked
    round, so such a judge gives no grade either."""
    controls = {name: answers.rulings[case.control] for name, answers in by_judge.items()}
    misled = [name for name, control in controls.items() if control is not None and control.mark > 0]
    untested = [name for name, control in controls.items() if control is None]
    grades = {
        name: None if name in misled or name in untested else lowest_grade(answers, case)
        for name, answers in by_judge.items()
    }
    asked = (case.control, *case.readings)
    lost = any(answers.lost[each] for name, answers in by_judge.items() if name not in misled for each in asked)
    return Assessment(grades, case.instructions, misled, untested, lost)


def lowest_grade(answers: Rulings[Grade], case: PanelCase) -> Grade | None:
    """The lower mark counts, so that instructions never raise it. If one reading has no mark, there is no grade."""
    grades = [answers.rulings[reading] for reading in case.readings]
    given = [grade for grade in grades if grade is not None]
    if len(given) < len(grades):
        return None
    lowest = min(given, key=lambda grade: grade.mark)
    if len(given) == 1:
        return lowest
    reason = lowest.reason[: MAX_RULING_REASON_CHARACTERS - len(LOWER_MARK_NOTE)]
    return replace(lowest, reason=reason + LOWER_MARK_NOTE)
