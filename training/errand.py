"""Makes weights/errand.json from the dialogues of data/: errands are in exchanges.txt, small talk in chats.txt.

Run as `python -m training.errand`.
"""

from training.fitting import DATA, Cases, keep
from training.talks import talks
from viva.engine.dialogue.setting import features
from viva.engine.reading import Reading

ORIGIN = "dialogues written for Viva (training/data/exchanges.txt and chats.txt), training/errand.py"
SIGNS = {"wants": 1, "personal": -1, "numbers": 1, "offers": 1, "delivers": 1, "words": 1}

if __name__ == "__main__":
    every = Cases([], [], [])
    for label, name in enumerate(("chats.txt", "exchanges.txt")):
        for talk in talks(DATA / name):
            every.rows.append(features(Reading(talk.trace, sentence_model=False)))
            every.labels.append(label)
            every.groups.append(len(every.groups))
    keep("errand", ORIGIN, every, list(SIGNS), SIGNS, 1.0)
