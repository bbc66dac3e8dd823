"""Makes weights/reply_talk.json, reply_talk_static.json and reply_errand.json: does an answer fit what was said to it?

Run as `python -m training.badness`. Besides the labelled dialogues, answers put into dialogues where they do not belong are bad.
"""

import random

from training.fitting import DATA, Cases, keep
from training.talks import Talk, talks
from viva.engine.dialogue.replies import features, replies
from viva.engine.model import Interaction, Trace, Turn
from viva.engine.reading import Reading, answer
from viva.engine.response_failure import likenesses

ORIGIN = "dialogues written for Viva (training/data/{}) and their answers in wrong places, training/badness.py, grouped by dialogue"
SIGNS = dict.fromkeys(
    "unlike unlike_before yes_no_missed yes_no_to_open other_kind question_for_question greets_late"
    " repeats_itself repeats_user parrots evades coarse broken only_filler vague late".split(),
    1,
) | dict.fromkeys("yes_no_answered wanted_kind asks_back greets_back takes_up takes_up_before".split(), -1)
OF_ERRANDS = dict.fromkeys("answer_fails answer_sorry answer_denies".split(), 1) | {
    "answer_delivers": -1,
    "answer_asks_slot": 0,
}
STRENGTH = 0.1
MISPLACED = 4  # wrong answers made for each dialogue


def misplaced(every: list[Talk], seed: int) -> list[Talk]:
    """Each dialogue up to one of its turns, where an answer from elsewhere is given."""
    chance = random.Random(seed)
    answers = [answer(turn) for talk in every for turn in talk.trace.turns if answer(turn)]
    found = []
    for talk in every:
        at = chance.randrange(len(talk.trace.turns))
        wrong = Turn(at, talk.trace.turns[at].user_message, None, (Interaction("agent", chance.choice(answers)),))
        found.append(Talk(Trace(talk.trace.id, (*talk.trace.turns[:at], wrong)), [None] * at + [1]))
    return found


def cases(name: str, sentence_model: bool, small_talk: bool, wrong: int) -> Cases:
    found = Cases([], [], [])
    every = talks(DATA / name)
    for talk in [*every, *(other for seed in range(wrong) for other in misplaced(every, seed))]:
        reading = Reading(talk.trace, sentence_model)
        given = replies(reading)
        alike = likenesses(reading, given, small_talk)
        for reply, likeness, bad in zip(given, alike, talk.failed, strict=True):
            if reply and bad is not None:
                found.rows.append(features(reply) | likeness)
                found.labels.append(bad)
                found.groups.append(int(talk.trace.id))
    return found


if __name__ == "__main__":
    origin = ORIGIN.format("chats.txt")
    keep("reply_talk", origin, cases("chats.txt", True, True, MISPLACED), list(SIGNS), SIGNS, STRENGTH)
    keep("reply_talk_static", origin, cases("chats.txt", False, True, MISPLACED), list(SIGNS), SIGNS, STRENGTH)
    signs = SIGNS | OF_ERRANDS
    keep(
        "reply_errand",
        ORIGIN.format("exchanges.txt"),
        cases("exchanges.txt", False, False, 1),
        list(signs),
        signs,
        STRENGTH,
    )
