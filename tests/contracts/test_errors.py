"""Errors speak in one way: a class for each, its docstring a sentence, its name a code of its own."""

from collections import Counter

import pytest

from tests.contracts.tree import modules
from viva.kit.errors import VivaError


def exceptions() -> list[type[Exception]]:
    found = {
        thing
        for module in modules()
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Exception) and thing.__module__ == module.__name__
    }
    return sorted(found, key=lambda error: (error.__module__, error.__name__))


@pytest.mark.parametrize("error", exceptions(), ids=lambda error: error.__name__)
def test_the_docstring_of_an_error_is_a_sentence(error: type[Exception]):
    sentence = error.__doc__ or ""

    assert sentence.endswith(".")
    assert sentence[0].isupper() or sentence[0] == "`"
    assert "\n" not in sentence


def test_no_two_errors_have_the_same_code():
    errors = [error for error in exceptions() if issubclass(error, VivaError)]
    codes = Counter(error.code() for error in errors)

    assert [code for code, count in codes.items() if count > 1] == []
