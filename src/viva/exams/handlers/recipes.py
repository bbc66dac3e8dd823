"""Recipes: small steps on a list of words, with a random choice and order of steps each time."""

import hashlib
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

RECIPE_WORD_COUNT = 12  # at the start; every choice of steps leaves at least four words
RECIPE_STEP_COUNT = 5
STEP_NUMBERS = range(2, 6)  # values of {n}
VOWELS = "aeiou"
# Each has its own consonant and ends with a vowel, so that no step leaves a word empty.
SYLLABLES = ("ba", "do", "fe", "gi", "ku", "la", "mo", "ne", "pi", "ro", "su", "ta", "ve", "wi", "zo")
FINAL_INSTRUCTIONS = (
    "Join the words with one space between each two. Put the nonce and a colon in front of them, with no space after "
    "the colon. The answer is the SHA-256 of that text (UTF-8, no line break at its end), as 64 hexadecimal digits."
)

WordList = list[str]


class RecipeStep(NamedTuple):
    """One step: its wordings, and the function that changes the words; {n} is a number that some steps have."""

    wordings: tuple[str, ...]
    apply: Callable[[WordList, int], WordList]


class ChosenStep(Struct, frozen=True):
    """A step of one recipe: its name, the index of its wording, and its number."""

    name: str
    wording: int
    n: int


STEP_BY_NAME = {
    "sort": RecipeStep(
        (
            "Sort the words from a to z, as a dictionary does.",
            "Put the words in alphabetical order, the earliest in the alphabet first.",
        ),
        lambda words, n: sorted(words),
    ),
    "reverse_list": RecipeStep(
        (
            "Reverse the order of the words: the last becomes the first. The words themselves stay as they are.",
            "List the same words from the last to the first, without changing any of them.",
        ),
        lambda words, n: words[::-1],
    ),
    "odd_places": RecipeStep(
        (
            "Keep the first, third, fifth word and so on, and drop the others.",
            "Counting from 1, drop every word whose place is an even number.",
        ),
        lambda words, n: words[::2],
    ),
    "mirror": RecipeStep(
        (
            "Write each word backwards, its last letter first. The words stay in their places.",
            "Reverse the letters of every word, but not the order of the words.",
        ),
        lambda words, n: [word[::-1] for word in words],
    ),
    "drop_shortest": RecipeStep(
        (
            "Drop the shortest word; if several are equally short, only the first of these.",
            "Find the word with the fewest letters, the earliest in the list if there are several, and remove it alone.",
        ),
        lambda words, n: drop_word(words, min(range(len(words)), key=lambda place: len(words[place]))),
    ),
    "drop_longest": RecipeStep(
        (
            "Drop the longest word; if several are equally long, only the first of these.",
            "Find the word with the most letters, the earliest in the list if there are several, and remove it alone.",
        ),
        lambda words, n: drop_word(words, max(range(len(words)), key=lambda place: len(words[place]))),
    ),
    "consonants": RecipeStep(
        (
            "Remove every a, e, i, o and u from the words.",
            "Strike out all vowels (a, e, i, o, u) in all words and keep the other letters.",
        ),
        lambda words, n: ["".join(letter for letter in word if letter not in VOWELS) for word in words],
    ),
    "rotate": RecipeStep(
        (
            "{n} times over, move the word that is first in the list to its end.",
            "Do this {n} times: take the first word away from the front of the list and put it behind the last.",
        ),
        lambda words, n: words[n % len(words) :] + words[: n % len(words)],
    ),
    "sort_by_length": RecipeStep(
        (
            "Sort the words by their number of letters, the fewest first; words of equal length keep their present order.",
            "Put shorter words before longer ones. Among words of the same length, keep the order they have now.",
        ),
        lambda words, n: sorted(words, key=len),
    ),
    "double": RecipeStep(
        (
            "Double the first letter of each word: word becomes wword.",
            "In each word write the first letter twice, as in wword for word; nothing else changes.",
        ),
        lambda words, n: [word[0] + word for word in words],
    ),
    "letter_to_end": RecipeStep(
        (
            "In each word, move the first letter to the end of that word: word becomes ordw.",
            "Take the first letter of every word away from its front and append it to the same word, as in ordw for word.",
        ),
        lambda words, n: [word[1:] + word[0] for word in words],
    ),
    "swap_ends": RecipeStep(
        (
            "Exchange the first word of the list and the last one.",
            "Let the first and the last word of the list change places; those between stay where they are.",
        ),
        lambda words, n: [words[-1], *words[1:-1], words[0]],
    ),
}


def drop_word(words: WordList, place: int) -> WordList:
    return words[:place] + words[place + 1 :]


def new_words(rng: random.Random) -> WordList:
    """New random words, all different."""
    words: dict[str, None] = {}
    while len(words) < RECIPE_WORD_COUNT:
        words["".join(rng.choices(SYLLABLES, k=rng.randint(2, 5)))] = None
    return list(words)


def new_recipe(words: WordList, rng: random.Random) -> list[ChosenStep]:
    """Random steps. Each step changes the words, so that a skipped step leads to a wrong answer."""
    while True:
        names = rng.sample(sorted(STEP_BY_NAME), RECIPE_STEP_COUNT)
        recipe = [
            ChosenStep(name, rng.randrange(len(STEP_BY_NAME[name].wordings)), rng.choice(STEP_NUMBERS))
            for name in names
        ]
        stages = run_recipe(words, recipe)
        if all(before != after for before, after in pairwise(stages)) and words != stages[-1]:
            return recipe


def run_recipe(words: WordList, recipe: Sequence[ChosenStep]) -> list[WordList]:
    """The words before the first step and after each step."""
    stages = [words]
    for step in recipe:
        stages.append(STEP_BY_NAME[step.name].apply(stages[-1], step.n))
    return stages


def describe_recipe(recipe: Sequence[ChosenStep]) -> list[str]:
    """The recipe as the candidate reads it."""
    return [*(STEP_BY_NAME[step.name].wordings[step.wording].format(n=step.n) for step in recipe), FINAL_INSTRUCTIONS]


def compute_answer(words: WordList, recipe: Sequence[ChosenStep], nonce: str) -> str:
    final_words = run_recipe(words, recipe)[-1]
    return hashlib.sha256(f"{nonce}:{' '.join(final_words)}".encode()).hexdigest()
