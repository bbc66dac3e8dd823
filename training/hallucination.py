"""Makes the three heads of the hallucination detector.

Run as `python -m training.hallucination DIR` with the folder of hallucination.cases.jsonl and hallucination.labels.jsonl.

Words: a response is wrong if any of its words is, so the words' probabilities are fitted through the noisy-or of a
response, on edited summaries (summedits). Responses: logistic, on summedits, on dialogue replies (begin), and on single
sentences of good summaries, held once against their text and once against the text without the sentences they rest on.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from training import fitting
from training.responses import Example, examples, withheld
from viva.engine.detectors.hallucination import distance, features, find_doubts, weakest, word_features
from viva.engine.logistic import LogisticModel
from viva.engine.model import Trace
from viva.engine.reading import Reading

FITTED = ("begin", "summedits")  # the other set of the folder may only be measured
SHARE = {"begin": 1.0, "summedits": 1.0, "withheld": 0.5}  # what we made ourselves counts half
RIDGE = 0.2  # strength of the words' penalty
STRENGTH = 0.1  # inverse penalty of the responses' head, on scaled features
FOLDS = 3
Matrix = NDArray[np.float64]


def balance(examples: list[Example]) -> Matrix:
    """Weights that give each set its share, and both labels of it the same."""
    count = Counter((example.kind, example.wrong) for example in examples)
    return np.array([SHARE[e.kind] * len(examples) / 2 / count[e.kind, e.wrong] for e in examples])


def fit_words(examples: list[Example]) -> LogisticModel:
    """Weights of words, so that the noisy-or over a response's words tells wrong responses from right ones."""
    told = [example for example in examples if example.kind == "summedits" and len(example.words)]
    x = np.concatenate([example.words for example in told])
    x = np.hstack([x, np.ones((len(x), 1))])
    owner = np.repeat(np.arange(len(told)), [len(example.words) for example in told])
    y, weight = np.array([example.wrong for example in told], float), balance(told)
    penalty = np.array([RIDGE] * (x.shape[1] - 1) + [0.0])

    def loss(w: Matrix) -> tuple[float, Matrix]:
        z = x @ w
        rate = np.bincount(owner, np.logaddexp(0, z), len(told))  # -log of the chance that no word is wrong
        wrong = np.clip(1 - np.exp(-rate), 1e-9, 1)
        value = -(weight * (y * np.log(wrong) - (1 - y) * rate)).sum()
        slope = -weight * (y * np.exp(-rate) / wrong - (1 - y))
        gradient = x.T @ (slope[owner] / (1 + np.exp(-z)))
        return float(value + (penalty * w * w).sum()), gradient + 2 * penalty * w

    start = np.zeros(x.shape[1])
    start[-1] = -4
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    names = [*word_features(next(m for e in told for c in e.claims for m in c.matches))]
    return LogisticModel(
        "", round(float(found[-1]), 3), {n: round(float(w), 3) for n, w in zip(names, found, strict=False)}
    )


def described(example: Example, words: LogisticModel, near: bool) -> dict[str, float]:
    """The features of a response, with the distance by the sentence model where `near`, else by the static one."""
    return features(example.claims, find_doubts(example.claims, words), example.asked, example.apart[near])


def fit_response(examples: list[Example], near: bool) -> LogisticModel:
    """The logistic head; the words' head each response is described with has not seen its document."""
    rows: dict[int, dict[str, float]] = {}
    for fold in range(FOLDS):
        words = fit_words([e for e in examples if int(e.group, 16) % FOLDS != fold])
        rows |= {id(e): described(e, words, near) for e in examples if int(e.group, 16) % FOLDS == fold}
    names = [*rows[id(examples[0])]]
    x = np.array([[rows[id(example)][name] for name in names] for example in examples], float)
    middle, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    model.fit((x - middle) / scale, [example.wrong for example in examples], sample_weight=balance(examples))
    weights = model.coef_[0] / scale
    bias = float(model.intercept_[0] - weights @ middle)
    fitted = {name: round(float(w), 3) for name, w in zip(names, weights, strict=True)}
    return LogisticModel("", round(bias, 3), fitted | BELIEVED)


BELIEVED = {"flipped": 3.0}  # 16 claims of these sets flip a sentence, too few to be fitted; 14 of them are wrong
Judge = Callable[[Example], float]


def judge(examples: list[Example], near: bool) -> Judge:
    words, response = fit_words(examples), fit_response(examples, near)
    return lambda example: response.probability(described(example, words, near))


def held_out(examples: list[Example], near: bool) -> dict[str, str]:
    """Balanced accuracy and AUROC of each set when the domain of a response was not trained on."""
    found: dict[str, list[tuple[bool, float]]] = {}
    for domain in sorted({example.domain for example in examples}):
        ruling = judge([e for e in examples if e.domain != domain], near)
        for example in (e for e in examples if e.domain == domain):
            found.setdefault(example.kind, []).append((example.wrong, ruling(example)))
    return {kind: figures(rows) for kind, rows in sorted(found.items())}


def figures(rows: list[tuple[bool, float]]) -> str:
    wrong, chance = [row[0] for row in rows], [row[1] for row in rows]
    cut = balanced_accuracy_score(wrong, [p >= 0.5 for p in chance])
    return f"{cut:.3f} (AUROC {roc_auc_score(wrong, chance):.3f}, n {len(rows)})"


def measure_distances(examples: list[Example]) -> None:
    reading = Reading(Trace("training", ()))
    for example in examples:
        weak = weakest(example.claims)
        example.apart = [distance(embed, weak, example.source) for embed in (reading.static, reading.sentence)]


def write(name: str, head: LogisticModel, figure: dict[str, str]) -> None:
    origin = (
        "training/hallucination.py on BEGIN (CC-BY-4.0, google/BEGIN-dataset) and SummEdits (Apache-2.0,"
        f" salesforce/factualNLG); balanced accuracy on domains held out: {figure}"
    )
    fitting.write(name, LogisticModel(origin, head.bias, head.weights))


def main(folder: Path) -> None:
    everything = examples(folder)
    given = [example for example in everything if example.kind in FITTED]
    given += withheld(given)
    print(Counter((example.kind, example.domain) for example in given))
    measure_distances(everything + [example for example in given if example.kind == "withheld"])
    for name, near in (("hallucination_static", False), ("hallucination", True)):
        figure = held_out(given, near)
        write(name, fit_response(given, near), figure)
        ruling = judge(given, near)
        rest = [(e.wrong, ruling(e)) for e in everything if e.kind not in FITTED]
        print("only measured:", figures(rest) if rest else "none")
    write("hallucination_words", fit_words(given), figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
