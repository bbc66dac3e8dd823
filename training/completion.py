"""Makes weights/completion_*.json: which signs of a run tell that its goal was reached? One head for each kind of evidence.

Run as `python -m training.completion DIR`, DIR holding completion.cases.jsonl and completion.labels.jsonl.

Each weight starts from a belief about what its sign means and is moved by the data as far as they speak. Beliefs in HELD
stay: they say what is true in other trades than the one that was measured, and the measured one has too few cases.
Agents' discussions have no data that may be learned from, so all their weights are beliefs in round numbers, not fitted.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from training.fitting import write
from training.labelled import labelled
from viva.engine.logistic import LogisticModel
from viva.engine.measures.completion import CONVERSATION, DISCUSSION, ERRAND, EvidenceKind
from viva.engine.reading import Reading

Floats = NDArray[np.float64]
SETS = {"agentdojo": ERRAND, "tau-airline": CONVERSATION}
LICENCES = {"agentdojo": "sequrity-ai/agentdojo, MIT", "tau-airline": "sierra-research/tau-bench, MIT"}
PULL = 0.1  # strength of the beliefs, for each case and each unit of spread of a sign
FIRM = 1e6  # the pull of a belief that stays
FOLDS = 10

BELIEFS = {
    ERRAND.head: {
        "undone": -0.8, "unmet": -0.8, "unreported": -0.3, "valueless": -1.0, "aside": -0.5, "idle": -0.5,
        "gives_up": -0.5, "asks_back": -0.5, "plans": -0.5, "empty": -0.8, "unnamed": -0.4, "unrepaired": -0.6, "withheld": -0.5, "repeats": -0.3, "burden": -0.3,
    },
    CONVERSATION.head: {
        "listed": -0.2, "large_change": -0.2, "lacking": -0.3, "failed": -0.3, "unconfirmed": -0.3, "upheld": 0.5,
        "unrepaired": -0.5, "dropped": -0.5, "handed_over": -0.5, "postponed": -0.4, "persists": -1.5, "thanks": 0.2,
        "rejected": -1.5, "unanswered": -2.0,
    },
    DISCUSSION.head: {
        "open_amount": -1.0, "assumed": -0.5, "missing": -0.3, "doubted": -0.3, "crashed": -0.3, "approximate": -0.2,
        "effort": -0.6, "unfounded": -0.3, "unused": -0.3, "unmatched": -0.5, "unstated": -1.0, "odd": -0.5,
        "changed": -0.3, "false_sum": -0.8,
    },
}  # fmt: skip
HELD = {
    ERRAND.head: ("valueless", "aside", "empty", "withheld"),
    CONVERSATION.head: (
        "unrepaired",
        "dropped",
        "handed_over",
        "postponed",
        "persists",
        "thanks",
        "rejected",
        "unanswered",
    ),
}
DISCUSSION_ORIGIN = (
    "beliefs in round numbers, not fitted; which signs to keep was decided while measuring them on AG2 runs (MAST)"
)
DISCUSSION_BIAS = 1.2  # even odds for a discussion of usual length with one strong sign against it


class Cases(NamedTuple):
    """The signs of runs, one row each; whether they reached their goal; what must not be split; the trade they are from."""

    signs: Floats
    reached: NDArray[np.bool_]
    groups: list[str]
    trades: list[str]


def read(folder: Path, set_name: str, kind: EvidenceKind) -> Cases:
    """The labelled runs of one set."""
    runs = [one for one in labelled(folder, "completion") if one.label["set"] == set_name]
    signs = [kind.signs(Reading(one.trace, sentence_model=False)) for one in runs]
    found = [{sign.name: sign.value for sign in each} for each in signs]
    return Cases(
        np.array([[row[name] for name in BELIEFS[kind.head]] for row in found], float),
        np.array([not one.label["failed"] for one in runs]),
        [one.label["group"] for one in runs],
        [one.tools for one in runs],
    )


def fit(signs: Floats, reached: NDArray[np.bool_], kind: EvidenceKind) -> Floats:
    """Bias and weights by Newton's method: even odds, and a pull towards the beliefs."""
    beliefs, stay = BELIEFS[kind.head], HELD.get(kind.head, ())
    share = reached.mean()
    each = np.where(reached, 0.5 / share, 0.5 / (1 - share))
    rows = np.c_[np.ones(len(signs)), signs]
    start = np.array([0.0, *beliefs.values()])
    held = np.array([FIRM if name in stay else PULL for name in beliefs])
    pull = len(signs) * np.r_[1e-9, held * np.maximum(signs.std(axis=0), 0.05) ** 2]
    weights = start.copy()
    for _ in range(30):
        guess = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (each * (guess - reached)) + pull * (weights - start)
        curve = (rows * (each * guess * (1 - guess))[:, None]).T @ rows + np.diag(pull)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def held_out(cases: Cases, parts: list[str], kind: EvidenceKind) -> Floats:
    """Each case's probability from weights that saw no case of its part."""
    names = sorted(set(parts))
    fold = np.array([names.index(part) % FOLDS for part in parts])
    guesses = np.zeros(len(parts))
    for number in range(min(FOLDS, len(names))):
        weights = fit(cases.signs[fold != number], cases.reached[fold != number], kind)
        guesses[fold == number] = 1 / (1 + np.exp(-(weights[0] + cases.signs[fold == number] @ weights[1:])))
    return guesses


def figures(cases: Cases, kind: EvidenceKind) -> str:
    """How good the head is on groups, and on trades, that it has not seen."""
    guesses = held_out(cases, cases.groups, kind)
    told = f"AUROC {roc_auc_score(cases.reached, guesses):.3f}, balanced accuracy "
    told += f"{balanced_accuracy_score(cases.reached, guesses >= 0.5):.3f} on groups held out"
    if len(set(cases.trades)) > 1:
        guesses, trades = held_out(cases, cases.trades, kind), np.array(cases.trades)
        each = (roc_auc_score(cases.reached[trades == one], guesses[trades == one]) for one in sorted(set(trades)))
        told += "; AUROC " + ", ".join(f"{one:.3f}" for one in each) + " on trades held out"
    return told


def save(kind: EvidenceKind, origin: str, weights: Floats) -> None:
    bias, *others = (round(float(weight), 3) for weight in weights)
    weights_by_name = dict(zip(BELIEFS[kind.head], others, strict=True))
    write(kind.head, LogisticModel(f"{origin}; by training/completion.py", bias, weights_by_name))


def main(folder: Path) -> None:
    for set_name, kind in SETS.items():
        cases = read(folder, set_name, kind)
        origin = f"{LICENCES[set_name]}, n={len(cases.reached)}: {figures(cases, kind)}"
        save(kind, origin, fit(cases.signs, cases.reached, kind))
    save(DISCUSSION, DISCUSSION_ORIGIN, np.array([DISCUSSION_BIAS, *BELIEFS[DISCUSSION.head].values()]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
