"""Makes weights/ccm.json and weights/ccm_static.json from the pairs of data/reasks.tsv: does the second ask the same as the first?

Run as `python -m training.ccm`.
"""

from training.fitting import DATA, Cases, keep
from viva.engine.dialogue.asking import features
from viva.engine.model import Trace
from viva.engine.reading import Reading

ORIGIN = "pairs of requests written for Viva (training/data/reasks.tsv), training/ccm.py, grouped by first request"
SIGNS = dict.fromkeys("sentence static".split(), 1) | dict.fromkeys(
    "other_number other_name opposite other_negation other_kind asks_more".split(), -1
)
STRENGTH = 1.0


def cases() -> Cases:
    lines = [line.split("\t") for line in (DATA / "reasks.tsv").read_text().splitlines()[1:]]
    reading = Reading(Trace("pairs", ()))
    firsts = {first: k for k, first in enumerate(dict.fromkeys(first for _, first, _ in lines))}
    vectors = reading.sentence([text for _, first, second in lines for text in (first, second)])
    rows = [
        features(reading, first, second) | {"sentence": float(vectors[2 * k] @ vectors[2 * k + 1])}
        for k, (_, first, second) in enumerate(lines)
    ]
    return Cases(rows, [int(label) for label, _, _ in lines], [firsts[first] for _, first, _ in lines])


if __name__ == "__main__":
    every = cases()
    keep("ccm", ORIGIN, every, list(SIGNS), SIGNS, STRENGTH)
    keep("ccm_static", ORIGIN, every, [name for name in SIGNS if name != "sentence"], SIGNS, STRENGTH)
