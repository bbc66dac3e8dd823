"""What is wrong with an answer in general: there is none, it refuses, echoes, repeats, or instructs its marker."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from viva.engine.text.words import words
from viva.evaluations.configs import AnswerDetection
from viva.judging.folding import fold_text
from viva.judging.instructions import instructions_in

MAX_READ_CHARACTERS = 20_000  # of an answer; what follows is not read
MAX_READ_TEXTS = 64  # remembered, because every check of a script reads all answers of an exam; at most 10 MB
MIN_ANSWER_WORDS = 2
MAX_REFUSAL_WORDS = 40  # a longer answer explains or helps, whatever it declines
MAX_ECHO_SHARE = 0.8  # of the words of an answer that stand in the prompt, in their order
MAX_REPETITION_SHARE = 0.8  # of the words of an answer that stand in an earlier one
MIN_COMPARED_WORDS = 6  # two short answers may be alike by chance: "Yes, of course."
WORD_RUN = 3  # words in a row are compared, because single words are in every text
REFUSAL = re.compile(
    r"\b(?:i|we)(?:'m| am| are|'re)? ?(?:cannot|can't|can not|could not|couldn't|won't|will not|would rather not|unable to|not able to"
    r"|not allowed to|do not want to|don't want to|refuse to|decline to|have to decline)\b[^.!?]{0,60}?"
    r"\b(?:help|answer|assist|respond|reply|discuss|comply|continue|provide|engage|do (?:that|this)|talk about)"
    r"|^\W*(?:no comment|pass|skip|next question|as an ai[^.!?]{0,40}(?:cannot|can't|unable))\b"
)


class GivenAnswer(NamedTuple):
    """An answer with the prompt it answers, and the answers before it."""

    prompt: str
    text: str
    earlier: Sequence[str] = ()


def detect_all(answer: GivenAnswer) -> list[AnswerDetection]:
    """Everything that is detected in the answer."""
    return [name for name, is_detected in DETECTIONS.items() if is_detected(answer)]


def has_no_answer(answer: GivenAnswer) -> bool:
    return len(words_of(answer.text)) < MIN_ANSWER_WORDS


def is_refusal(answer: GivenAnswer) -> bool:
    return len(words_of(answer.text)) <= MAX_REFUSAL_WORDS and REFUSAL.search(plain(answer.text)) is not None


def is_echo(answer: GivenAnswer) -> bool:
    return shared_runs(answer.text, answer.prompt) > MAX_ECHO_SHARE


def is_repetition(answer: GivenAnswer) -> bool:
    return any(shared_runs(answer.text, earlier) > MAX_REPETITION_SHARE for earlier in answer.earlier)


def has_instruction(answer: GivenAnswer) -> bool:
    return instructs(answer.text)


@lru_cache(MAX_READ_TEXTS)
def instructs(text: str) -> bool:
    return bool(instructions_in(text))


# Every detection by its name in a SIP.
DETECTIONS: dict[AnswerDetection, Callable[[GivenAnswer], bool]] = {
    "no_answer": has_no_answer,
    "refusal": is_refusal,
    "echo": is_echo,
    "repetition": is_repetition,
    "instruction": has_instruction,
}


@lru_cache(MAX_READ_TEXTS)
def plain(text: str) -> str:
    """The text as it reads: in lower case, without invisible characters, accents and look-alike letters."""
    return fold_text(text[:MAX_READ_CHARACTERS].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")).text


def words_of(text: str) -> list[str]:
    return words(plain(text))


def shared_runs(text: str, other: str) -> float:
    """The share of the runs of words in the text that stand in the other one. Short texts share nothing."""
    own = words_of(text)
    if len(own) < MIN_COMPARED_WORDS:
        return 0.0
    runs, known = runs_of(own), set(runs_of(words_of(other)))
    return sum(run in known for run in runs) / len(runs)


def runs_of(text_words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(text_words[at : at + WORD_RUN]) for at in range(len(text_words) - WORD_RUN + 1)]
