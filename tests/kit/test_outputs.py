"""Where a command writes, and in which format."""

from pathlib import Path

import pytest

from viva.kit.outputs import BadOutput, NotWritten, check_output, format_by_ending, open_output

ENDINGS = {".csv": "csv", ".ndjson": "jsonl"}


@pytest.mark.parametrize(("out", "found"), [(None, "table"), ("a.csv", "csv"), ("a.b.NDJSON", "jsonl")])
def test_the_format_is_that_of_the_ending(out, found):
    assert format_by_ending(out and Path(out), ENDINGS, "table") == found


@pytest.mark.parametrize("out", ["a", "a.doc", ".csv"])
def test_an_ending_that_is_not_known_is_told_with_those_that_are(out):
    with pytest.raises(BadOutput) as refused:
        format_by_ending(Path(out), ENDINGS, "table")

    assert str(refused.value) == f"Which format? {out} does not end in one of .csv, .ndjson; or give --format."


def test_a_folder_is_not_written_to(tmp_path):
    with pytest.raises(BadOutput, match=r"is a folder\.$"):
        check_output(tmp_path)
    with pytest.raises(BadOutput, match=r"^There is no folder .*nowhere to write to\.$"):
        check_output(tmp_path / "nowhere" / "out.csv")
    check_output(tmp_path / "out.csv")
    check_output(None)


def test_a_linked_file_is_written_through_its_link(tmp_path):
    (tmp_path / "linked").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "linked")

    with open_output(tmp_path / "link") as file:
        file.write(b"after")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "linked").read_text() == "after"


def test_a_device_that_is_full_is_told_in_a_sentence():
    with pytest.raises(NotWritten) as failed, open_output(Path("/dev/full")) as file:
        file.write(b"x")

    assert str(failed.value) == "/dev/full cannot be written: No space left on device."


def test_a_reader_that_goes_away_is_no_failure_of_the_file():
    with pytest.raises(BrokenPipeError), open_output(Path("/dev/null")):
        raise BrokenPipeError
