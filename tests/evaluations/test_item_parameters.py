"""Questions with parameters: a seed gives the same values in every release, and what stands in braces is computed."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.evaluations.configs import BenchmarkQuestion
from viva.evaluations.item_filling import QuestionNotMade, UnusableValues, fill, make_question
from viva.evaluations.item_parameters import draw_values, sample_values, size_of, value_at

RANGES = {"a": {"min": 2, "max": 99}, "b": {"min": 0.1, "max": 0.9, "step": 0.1}, "unit": ["km", "miles"]}


def question(parameters: Any = None, **fields: Any) -> Any:
    """A numeric question, unless the fields say something else."""
    numeric = {"id": "q", "kind": "numeric", "text": "{a} times {b}?", "answer": "{a * b}"}
    given = numeric | {"parameters": RANGES if parameters is None else parameters} | fields
    return msgspec.convert(given, BenchmarkQuestion)


def filled(values: dict[str, Any], **fields: Any) -> Any:
    return fill(question(**fields), [values])[0]


def values_of(parameter: Any) -> list[Any]:
    read = question({"a": parameter}).parameters["a"]
    return [value_at(read, place) for place in range(size_of(read))]


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        ({"min": 1, "max": 4}, [1, 2, 3, 4]),
        ({"min": -2, "max": 5, "step": 3}, [-2, 1, 4]),
        ({"min": 7, "max": 7}, [7]),
        ({"min": 0, "max": 0.5, "step": 0.1}, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ({"min": 2.5, "max": 4}, [2.5, 3.5]),
        ([3, "x", 2.5], [3, "x", 2.5]),
        ({"min": 2, "max": 1}, []),
    ],
)
def test_a_range_has_each_of_its_steps_exactly(parameter, values):
    assert values_of(parameter) == values
    assert list(map(type, values_of(parameter))) == list(map(type, values))


def test_a_seed_gives_the_same_values_in_every_release():
    assert draw_values(question(), "5eed:0") == {"a": 32, "b": 0.6, "unit": "miles"}
    assert draw_values(question(id="other"), "5eed:0") != draw_values(question(), "5eed:0")


NUMBERS = st.integers(-1000, 1000) | st.decimals(-1000, 1000, places=2).map(float)
STEPS = st.integers(1, 50) | st.sampled_from([0.5, 0.25, 0.1])
PARAMETERS = st.builds(
    lambda low, span, step: {"min": low, "max": low + span, "step": step}, NUMBERS, st.integers(0, 500), STEPS
) | st.lists(NUMBERS | st.text(min_size=1, max_size=5), min_size=1, max_size=5)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from("abc"), PARAMETERS, min_size=1), st.text(max_size=5))
def test_drawn_values_depend_on_seed_and_question_alone_and_are_values_of_their_parameters(parameters, seed):
    drawn = draw_values(question(parameters), seed)

    assert drawn == draw_values(question(parameters), seed)
    assert all(value in values_of(parameters[name]) for name, value in drawn.items())


@settings(deadline=None, max_examples=30)
@given(st.dictionaries(st.sampled_from("abc"), PARAMETERS, min_size=1))
def test_a_sample_has_every_value_of_a_small_parameter_and_the_ends_of_a_large_one(parameters):
    rows = sample_values(question(parameters))

    assert 1 <= len(rows) <= 200
    for name, parameter in parameters.items():
        values, seen = values_of(parameter), [row[name] for row in rows]
        assert {values[0], values[-1]} <= set(seen) <= set(values)
        assert len(values) > 100 or set(seen) == set(values)


def test_a_sample_has_equal_numbers_and_very_different_ones():
    rows = sample_values(question({"a": {"min": 1, "max": 500}, "b": {"min": 1, "max": 500}}))

    distances = [int(row["a"]) - int(row["b"]) for row in rows]
    assert 0 in distances
    assert min(distances) < -200
    assert max(distances) > 200


def test_few_combinations_are_all_sampled():
    rows = sample_values(question({"a": {"min": 1, "max": 10}, "b": {"min": 1, "max": 20}}))

    assert len({(row["a"], row["b"]) for row in rows}) == 200


@pytest.mark.parametrize(
    ("text", "values", "written"),
    [
        ("{a} {unit}", {"a": 3, "unit": "km"}, "3 km"),
        ("{ a } and {a+1}", {"a": 3}, "3 and 4"),
        ("{{a}} {a}", {"a": 3}, "{a} 3"),
        ("{a * 3}", {"a": 0.1}, "0.3"),
        ("{a / 3}", {"a": 1}, "0.3333333333"),
        ("{a / 2}", {"a": 6}, "3"),
        ("{round(a, 2)}", {"a": 2.3456}, "2.35"),
        ("{unit.upper()}", {"unit": "km"}, "KM"),
        ("{math.sqrt(a)}", {"a": 16}, "4"),
        ("{a # a comment, [}", {"a": 3}, "3"),
        ("{'yes' if a != 3 else 'no'}", {"a": 3}, "no"),
        ("{a ** 40}", {"a": 10}, "1" + 40 * "0"),
    ],
)
def test_what_stands_in_braces_is_computed_and_written(text, values, written):
    assert filled(values, text=text, answer=1).text == written


@pytest.mark.parametrize(
    "text", ["{a), (a}", "{a)] for a in [[1]]] + [[(a}", "{a", "a}", "{}", "{a; a}", "{x := a}{a,}"]
)
def test_what_is_no_expression_by_itself_is_refused(text):
    with pytest.raises(UnusableValues):
        filled({"a": 3}, text=text, answer=1)


def test_options_answers_and_criteria_are_filled_too():
    asked = {"text": "{a}?"}
    choice = filled({"a": 3}, kind="choice", **asked, options=["{a * 2}", "{a * 3}", "none"], answer="{a*2}")
    several = filled(
        {"a": 3}, kind="multiple_choice", **asked, options=["{a}", "{a + 1}", "0"], answers=["{a}", "{1 + a}"]
    )
    exact = filled({"a": 3}, kind="exact", **asked, answers=["{a} apples", "three"])
    essay = filled({"a": 3}, kind="free_text", **asked, criteria="It says {a * 2}.")

    assert (choice.options, choice.answer) == (["6", "9", "none"], "6")
    assert (several.options, several.answers) == (["3", "4", "0"], ["3", "4"])
    assert exact.answers == ["3 apples", "three"]
    assert essay.criteria == "It says 6."


def test_patterns_and_schemas_keep_their_braces():
    asked = {"text": "{a} letters?", "parameters": {"a": [2]}}

    assert filled({"a": 2}, kind="regex", pattern="[a-z]{2}", **asked).pattern == "[a-z]{2}"
    assert filled({"a": 2}, kind="json_schema", schema={"const": "{a}"}, **asked).schema == {"const": "{a}"}


def test_a_numeric_answer_stays_a_number():
    assert filled({"a": 7, "b": 0.1}, answer="{a * b}").answer == pytest.approx(0.7)
    assert filled({"a": 10, "b": 0.1}, answer="{a ** 20 + 1}").answer == 10**20 + 1
    assert filled({"a": 7, "b": 0.1}, answer=5).answer == 5


def test_the_same_seed_makes_the_same_question():
    assert make_question(question(), "5eed") == make_question(question(), "5eed")
    assert len({make_question(question(), str(seed)).text for seed in range(20)}) > 10
    assert make_question(question(), "5eed").parameters == {}


def test_values_for_which_an_expression_fails_are_drawn_again():
    fragile = question({"a": [0, 1]}, text="{a}?", answer="{10 / a}")

    assert {make_question(fragile, str(seed)).text for seed in range(10)} == {"1?"}


def test_a_question_that_no_values_make_is_not_made():
    with pytest.raises(QuestionNotMade):
        make_question(question({"a": [0]}, text="{a}?", answer="{10 / a}"), "5eed")


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd').read()",
        "__import__('os').listdir()",
        "[x for x in range(10**9)]",
        "9**9**9",
        "a.__class__.mro",
    ],
)
def test_an_expression_reaches_nothing_outside(expression):
    with pytest.raises(UnusableValues):
        filled({"a": 3}, text=f"{{{expression}}}", answer=1)
