"""Files that are whole or not there at all."""

import os
import stat

import pytest

from tests import make
from viva.kit.files import open_whole, write_once


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("before")

    with open_whole(path) as file:
        file.write(b"af")
        assert path.read_text() == "before"
        file.write(b"ter")

    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_fails_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "out.txt"
    path.write_text("before")

    def fail() -> None:
        with open_whole(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_the_mode_that_new_files_have(tmp_path):
    before = os.umask(0o027)
    try:
        with open_whole(tmp_path / "out.txt"):
            pass
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


def test_a_file_is_written_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "secret"

    make.together(*(lambda text=str(n): write_once(path, text) for n in range(8)))
    first = path.read_text()
    write_once(path, "another")

    assert path.read_text() == first
    assert first in "01234567"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
