"""Makes weights/rdm.json from the dialogues of data/: was the user dissatisfied with the answer?

Run as `python -m training.rdm`.
"""

from training.fitting import DATA, Cases, keep
from training.talks import talks
from viva.engine.dialogue.reactions import exchanges, features
from viva.engine.reading import Reading

ORIGIN = "dialogues written for Viva (training/data/exchanges.txt), training/rdm.py, grouped by dialogue"
SIGNS = dict.fromkeys(
    "next_complaint next_blames next_corrects next_again next_alternatives next_gives_up next_refuses next_loud answer_fails answer_sorry"
    " answer_denies declines_proposal refuses_answer refuses_confirmation corrects_refusing retries_failure other_than_proposed"
    " repeats_request repeats_earlier same_request answer_repeats failed_before unhappy_before answer_lacks not_pair accepts_failure".split(),
    1,
) | dict.fromkeys(
    "next_closes next_indifferent next_thanks next_accepts answer_delivers declines_more thanks_only accepts_only fills_slot says_new".split(),
    -1,
)
STRENGTH = 0.01  # few dialogues, many features: strong shrinkage


def cases() -> Cases:
    found = Cases([], [], [])
    for group, (trace, failed) in enumerate(talks(DATA / "exchanges.txt")):
        reading = Reading(trace, sentence_model=False)
        for exchange, bad in zip(exchanges(reading), failed, strict=True):
            if exchange and bad is not None:
                found.rows.append(features(exchange))
                found.labels.append(bad)
                found.groups.append(group)
    return found


if __name__ == "__main__":
    every = cases()
    keep("rdm", ORIGIN, every, list(every.rows[0]), SIGNS, STRENGTH)
