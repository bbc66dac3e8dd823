"""Recipes never fail, are understood in one way only, and cannot be answered unread."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.exams.simple import carried_out
from viva.exams.handlers import recipes
from viva.exams.handlers.recipes import RECIPE_STEP_COUNT, STEP_BY_NAME, STEP_NUMBERS, ChosenStep

WORDINGS = [(name, at) for name, step in STEP_BY_NAME.items() for at in range(len(step.wordings))]
lucks = st.integers(0, 2**32).map(random.Random)


def test_there_are_many_thousands_of_recipes():
    assert len(list(itertools.permutations(STEP_BY_NAME, RECIPE_STEP_COUNT))) == 95_040


def test_no_recipe_fails_or_uses_up_the_words():
    words = recipes.new_words(random.Random(1))

    left = [
        recipes.run_recipe(words, [ChosenStep(name, 0, 5) for name in names])[-1]
        for names in itertools.permutations(STEP_BY_NAME, RECIPE_STEP_COUNT)
    ]

    assert min(map(len, left)) == 4
    assert all(all(made) for made in left)


@given(lucks)
def test_words_are_distinct_and_of_small_letters(luck):
    words = recipes.new_words(luck)

    assert len(words) == len(set(words)) == 12
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


@given(lucks)
def test_no_step_can_be_left_out(luck):
    words = sorted(recipes.new_words(luck), key=len)  # so that sorting them would do nothing
    recipe = recipes.new_recipe(words, luck)
    stages = recipes.run_recipe(words, recipe)

    assert len({step.name for step in recipe}) == 5
    assert all(before != after for before, after in itertools.pairwise(stages))
    assert stages[-1] != words


def test_the_choice_of_steps_the_order_the_wording_and_the_words_differ_from_one_to_the_next():
    luck = random.Random(2)
    made = [recipes.new_words(luck) for _ in range(500)]
    told = {tuple(recipes.describe_recipe(recipes.new_recipe(words, luck))) for words in made}

    assert len({tuple(words) for words in made}) == 500
    assert len(told) > 490


@pytest.mark.parametrize(("name", "wording"), WORDINGS)
@given(luck=lucks, n=st.sampled_from(STEP_NUMBERS), before=st.lists(st.sampled_from(sorted(STEP_BY_NAME)), max_size=4))
def test_a_stranger_carries_every_step_out_as_we_do(name, wording, luck, n, before):
    words = recipes.run_recipe(recipes.new_words(luck), [ChosenStep(step, 0, 2) for step in before])[-1]
    (told, _) = recipes.describe_recipe([ChosenStep(name, wording, n)])

    assert carried_out(told, words) == STEP_BY_NAME[name].apply(words, n)


def test_of_several_shortest_words_the_first_goes():
    drop = STEP_BY_NAME["drop_shortest"].apply

    assert drop(["zoba", "ba", "do", "ba"], 0) == ["zoba", "do", "ba"]


def test_the_answer_is_the_hash_of_nonce_and_words():
    words = ["rofe", "kubala", "modo", "tasuneve"]
    recipe = [ChosenStep("sort", 0, 2), ChosenStep("rotate", 0, 2), ChosenStep("letter_to_end", 0, 2)]

    answer = recipes.compute_answer(words, recipe, "00112233445566778899aabbccddeeff")

    assert answer == "00fe23ddab187a4037c055a4340292bcae61340c362e34d49343a40055d789db"
