"""The files of the models that the engine reads out of other packages."""

import pickle

import pytest

from viva.engine import meaning
from viva.engine.meaning import ModelFileMissing, package_file


@pytest.mark.parametrize(
    "file",
    [meaning.STATIC_TOKENIZER, meaning.STATIC_WEIGHTS, meaning.SENTENCE_TOKENIZER, meaning.SENTENCE_WEIGHTS],
)
def test_every_file_of_a_model_is_installed(file):
    with open(package_file(*file), "rb") as opened:
        assert opened.read(1)


@pytest.mark.parametrize("package", ["wordllama", "no_such_package"])
def test_a_missing_file_is_told_with_its_package(package):
    with pytest.raises(ModelFileMissing) as missing:
        package_file(package, "weights/none.safetensors")

    assert str(missing.value) == (
        f"The package {package} has no file weights/none.safetensors, which the analysis needs. "
        "Install Viva again with the versions that it names."
    )
    # It may be raised in another process of a pool.
    assert str(pickle.loads(pickle.dumps(missing.value))) == str(missing.value)
