"""Exports: every result once, in order, in three formats, and no text that a spreadsheet would obey."""

import csv
import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import make
from tests.contracts.tree import ROOT
from tests.results.taken import NINE, Counting, keep, plain, plans
from viva.agents import accounts
from viva.kit.clock import format_time
from viva.kit.sqlite_connection import SqliteConnection
from viva.results import export_formats
from viva.results.export import (
    EXPORT_COLUMN_NAMES,
    EXPORT_FIELDS,
    FIRST_BATCH_ROWS,
    READ_BATCH_CHARACTERS,
    ExportColumns,
    ResultReader,
    columns_of,
    file_name,
)
from viva.results.export_formats import (
    EXPORT_FORMATS,
    CsvEncoder,
    FormatName,
    JsonLinesEncoder,
    ParquetEncoder,
    csv_cell,
    csv_cells,
    json_cells,
)

ExportRow = Sequence[Any]
LATER = NINE + timedelta(days=1)
GUIDE = ROOT / "docs" / "howto" / "export-results.md"


@pytest.fixture
def ada(db):
    make.evaluation(db)
    return make.agent(db, "ada")


def read(db, version: str | None = None, until: datetime = LATER, batch: int = 3) -> list[list[ExportRow]]:
    """The rows of the batches, one batch after the other."""
    reading, batches = ResultReader("good-manners", version, until, show_all, batch), []
    while not reading.is_done:
        batches.append(rows_of(reading.next(db)))
    return batches


def rows_of(columns: ExportColumns) -> list[ExportRow]:
    return list(zip(*columns, strict=True))


def show_all(db, columns: ExportColumns) -> ExportColumns:
    return columns


def ids(batches: list[list[ExportRow]]) -> list[str]:
    return [row[0] for batch in batches for row in batch]


def encoded(format_: FormatName, batches: list[list[ExportRow]]) -> bytes:
    encoder = EXPORT_FORMATS[format_].encoder()
    return encoder.begin() + b"".join(encoder.add(columns_of(batch)) for batch in batches) + encoder.end()


def read_back(format_: str, data: bytes) -> list[dict[str, Any]]:
    """The rows as a program reads them, result_data as text."""
    if format_ == "parquet":
        return pq.read_table(io.BytesIO(data)).to_pylist()
    if format_ == "jsonl":
        return [json.loads(line) for line in data.decode().splitlines()]
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


# Which results


def test_every_result_is_there_once_the_oldest_first_however_many_end_in_one_moment(db, ada):
    kept = [keep(db, ada, plain(minute=minute)) for minute in (2, 0, 0, 0, 0, 0, 1, 2, 2, 2)]

    batches = read(db, batch=3)

    assert ids(batches) == [one.id for one in sorted(kept, key=lambda one: (one.completed_at, one.id))]
    assert [len(batch) for batch in batches] == [3, 3, 3, 1]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_an_export_ends_wherever_a_batch_does(db, ada, count: int):
    kept = [keep(db, ada, plain(minute=minute)).id for minute in range(count)]

    assert ids(read(db, batch=2)) == kept


def test_a_version_has_its_own_results_and_no_others(db, ada):
    for minute, version in enumerate(["1.0.0", "2.0.0", "1.0.0", "2.0.0", "2.0.0"]):
        keep(db, ada, plain(version=version, minute=minute))

    rows = [row for batch in read(db, "2.0.0", batch=2) for row in batch]

    assert [row[EXPORT_COLUMN_NAMES.index("evaluation_version")] for row in rows] == ["2.0.0"] * 3


def test_another_evaluation_has_results_of_its_own(db, ada):
    kept = keep(db, ada, plain())
    make.evaluation(db, sip=8, id="fair-play")
    make.result(db, ada, make.agent(db, "paul"), evaluation_id="fair-play")

    assert ids(read(db)) == [kept.id]


def test_what_comes_in_after_the_beginning_is_left_out(db, ada):
    reading = ResultReader("good-manners", None, NINE + timedelta(minutes=1), show_all, 2)
    before = [keep(db, ada, plain(minute=minute)).id for minute in (0, 0, 1)]

    first = reading.next(db)
    keep(db, ada, plain(minute=2))
    second = reading.next(db)

    assert sorted(ids([rows_of(first), rows_of(second)])) == sorted(before)
    assert reading.is_done


def test_of_large_results_fewer_are_read_at_once(db, ada):
    kept = [keep(db, ada, plain(minute=minute, data={"note": "x" * 60_000})).id for minute in range(60)]

    batches = read(db, batch=200)

    assert sorted(ids(batches)) == sorted(kept)
    assert all(len(batch) <= READ_BATCH_CHARACTERS // 60_000 for batch in batches[1:])
    assert len(batches[0]) == FIRST_BATCH_ROWS


def test_of_small_results_more_are_read_at_once(db, ada):
    for minute in range(70):
        keep(db, ada, plain(minute=minute))

    assert [len(batch) for batch in read(db, batch=30)] == [20, 30, 20]


def test_no_batch_looks_at_more_than_it_reads(db, ada):
    for minute in range(8):
        keep(db, ada, plain(minute=minute))
    counting = Counting(db)

    for version in (None, "1.0.0"):
        read(counting, version, batch=3)

    assert len(counting.asked) == 6
    if isinstance(db, SqliteConnection):
        assert not any("SCAN" in step or "B-TREE" in step for step in plans(db, counting))


# What is told of each


def test_a_result_has_every_field_in_every_format(db, ada):
    paul = make.agent(db, "paul")
    data = {"marks": [1, 2.5, None], "note": "ça va"}
    make.result(db, ada, paul, score=80.5, feedback="Kind.", data=data)
    batches = read(db, until=datetime(2100, 1, 1, tzinfo=UTC))
    (raw,) = [row for batch in batches for row in batch]

    as_csv, as_json, as_parquet = (read_back(format_, encoded(format_, batches))[0] for format_ in EXPORT_FORMATS)

    assert tuple(as_csv) == tuple(as_json) == tuple(as_parquet) == EXPORT_COLUMN_NAMES
    assert (as_json["agent_name"], as_json["proctor_name"], as_json["passed"]) == ("ada", "paul", True)
    assert (as_json["score"], as_json["max_score"], as_json["points_earned"]) == (80.5, 100, 10)
    assert (as_json["result_data"], as_json["message_count"], as_json["cohort_id"]) == (data, 2, None)
    assert (as_json["official"], as_json["official_reasons"], as_csv["official_reasons"]) == (True, [], "[]")
    assert json.loads(as_csv["result_data"]) == json.loads(as_parquet["result_data"]) == data
    assert (as_csv["passed"], as_csv["score"], as_csv["cohort_id"]) == ("true", "80.5", "")
    at = datetime.fromisoformat(as_json["completed_at"])
    assert as_parquet["completed_at"] == at == datetime.fromisoformat(as_csv["completed_at"])
    differing = ("completed_at", "result_data", "official_reasons")
    assert {name: as_parquet[name] for name in EXPORT_COLUMN_NAMES if name not in differing} == {
        name: as_json[name] for name in EXPORT_COLUMN_NAMES if name not in differing
    }
    assert raw[0] == as_csv["id"]


def test_what_does_not_apply_is_null(db, ada):
    keep(db, ada, plain())

    as_json, as_parquet = (read_back(format_, encoded(format_, read(db)))[0] for format_ in ("jsonl", "parquet"))

    nulls = [name for name in EXPORT_COLUMN_NAMES if as_json[name] is None]
    assert nulls == [
        "evaluation_digest_key",  # whoever shows the rows knows it
        *("score", "max_score", "proctor_agent_id", "proctor_name", "proctor_feedback", "session_id", "cohort_id"),
        *("message_count", "agent_owner", "agent_model", "agent_framework", "agent_version"),
        *("voided_at", "void_reason", "result_data"),
    ]
    assert [name for name in EXPORT_COLUMN_NAMES if as_parquet[name] is None] == nulls


def test_the_length_of_the_talk_is_told(db, ada):
    keep(db, ada, plain(messages=15))

    assert read(db)[0][0][EXPORT_COLUMN_NAMES.index("message_count")] == 15


def test_deleted_agents_are_named_so_and_keep_their_results(db, ada):
    paul = make.agent(db, "paul")
    make.result(db, ada, paul)
    accounts.delete(db, ada)
    accounts.delete(db, paul)

    (row,) = read_back("jsonl", encoded("jsonl", read(db, until=datetime(2100, 1, 1, tzinfo=UTC))))

    assert (row["agent_name"], row["proctor_name"]) == ("deleted agent", "deleted agent")
    assert row["agent_id"] == ada.id


HOSTILE = 'a"b,c\r\nd\n\u2028e\x85é\t𝄞<script>;=1+1'


def test_hostile_text_comes_back_as_it_was(db, ada):
    make.result(db, ada, make.agent(db, "paul"), feedback=HOSTILE, data={HOSTILE: [HOSTILE]})
    batches = read(db, until=datetime(2100, 1, 1, tzinfo=UTC))

    for format_ in EXPORT_FORMATS:
        (row,) = read_back_strictly(format_, encoded(format_, batches))

        assert row["proctor_feedback"] == HOSTILE
        data = row["result_data"]
        assert (json.loads(data) if isinstance(data, str) else data) == {HOSTILE: [HOSTILE]}


def read_back_strictly(format_: str, data: bytes) -> list[dict[str, Any]]:
    """Lines end in a line feed, not in all that Python takes for an end of a line."""
    if format_ == "jsonl":
        return [json.loads(line) for line in data.decode().removesuffix("\n").split("\n")]
    return read_back(format_, data)


def test_both_databases_give_the_same_data(db, ada):
    keep(db, ada, plain(data={"b": [1, {"c": " x "}], "a": 1.5}))

    (line,) = encoded("jsonl", read(db)).splitlines()

    assert json.loads(line)["result_data"] == {"b": [1, {"c": " x "}], "a": 1.5}
    assert b'": ' not in line


def test_an_export_of_nothing_is_a_table_without_rows(db, ada):
    batches = read(db)

    assert encoded("csv", batches) == ",".join(EXPORT_COLUMN_NAMES).encode() + b"\r\n"
    assert encoded("jsonl", batches) == b""
    assert pq.read_table(io.BytesIO(encoded("parquet", batches))).column_names == list(EXPORT_COLUMN_NAMES)


# Streaming


def test_rows_go_out_with_their_batch_and_are_not_kept(db, ada):
    rows = [keep(db, ada, plain(minute=minute)) for minute in range(4)]
    batches = read(db, batch=2)

    for encoder in (CsvEncoder(), JsonLinesEncoder()):
        encoder.begin()
        first, second = (encoder.add(columns_of(batch)) for batch in batches[:2])

        assert rows[0].id.encode() in first
        assert rows[2].id.encode() in second
        assert rows[2].id.encode() not in first


@pytest.mark.parametrize(
    ("limit", "value", "groups"), [("ROW_GROUP_ROWS", 400, [400, 400, 200]), ("ROW_GROUP_BYTES", 50_000, [200] * 5)]
)
def test_a_row_group_goes_out_when_it_is_full(monkeypatch, limit: str, value: int, groups: list[int]):
    monkeypatch.setattr(export_formats, limit, value)
    encoder = ParquetEncoder()
    made = made_rows(1_000)

    parts, waiting = [encoder.begin()], []
    for first in range(0, 1_000, 200):
        parts.append(encoder.add(columns_of(made[first : first + 200])))
        waiting.append(encoder.writer.waiting)
    file = b"".join([*parts, encoder.end()])

    metadata = pq.read_metadata(io.BytesIO(file))
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == groups
    assert max(waiting) <= max(groups) - 200
    assert pq.read_table(io.BytesIO(file))["id"].to_pylist() == [row[0] for row in made]


def made_rows(count: int) -> list[ExportRow]:
    values = {"text": "x" * 30, "boolean": 1, "double": 1.5, "integer": 3, "moment": NINE, "json": "{}"}
    return [[f"id-{number}", *(values[field.kind] for field in EXPORT_FIELDS[1:])] for number in range(count)]


# Formulas


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "-",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\tharmless",
        "  =1",
        "\u00a0=1",
        "\u3000=1",
        "\ufeff=1",
        "\u200b=1",
        "\x1b=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM(A1)",
        "−1",
        "﹦1",
        "'=1",
        "''=1",
        '=HYPERLINK("http://evil.example","look")',
        "=cmd|' /C calc'!A0",
    ],
)
def test_what_a_spreadsheet_could_take_for_a_formula_is_guarded(text: str):
    assert parsed(csv_cell(text)) == "'" + text


@pytest.mark.parametrize("microsecond", [0, 1, 120_000, 999_999])
@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=2))])
def test_times_in_json_lines_have_one_form(microsecond: int, zone: tzinfo):
    moment = NINE.replace(microsecond=microsecond)

    (shown,) = export_formats.json_moments([moment.astimezone(zone)])

    assert json.loads(msgspec.json.encode(shown)) == format_time(moment)


@pytest.mark.parametrize(
    "text", ["", "ada", "1-1", "a=b", "it's", "'quoted'", '"=1"', "{}", "#1", "100", "ada@example.org", "=".join("ab")]
)
def test_other_text_is_left_as_it_is(text: str):
    assert parsed(csv_cell(text)) == text


@given(st.text(st.sampled_from("'=+-@ \t\r\n\"a,＝\ufeff") | st.characters(codec="utf-8"), max_size=8))
def test_a_guarded_text_can_be_had_back_as_the_guide_says(text: str):
    written = parsed(csv_cell(text))

    assert guarded().sub("", written) == text
    assert written[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n", "＝"}


@given(
    st.lists(st.sampled_from(["ada", "-1", "a\nb", "a,b", "", "a b", "1.0.0", "\n"]) | st.text(max_size=4), max_size=5)
)
def test_a_column_has_the_cell_of_each_of_its_texts(texts: list[str]):
    assert list(csv_cells(texts)) == [csv_cell(text) for text in texts]


@pytest.mark.parametrize("data", ['{"a": ["b, c"]}', '"=1"', "-1", "[1, 2]", "[]", "{}", "null", "[[ ], 1]"])
def test_json_is_one_cell_on_one_line(data: str):
    (cell,) = json_cells([data])

    assert parsed(cell).removeprefix("'") == json.dumps(json.loads(data), separators=(",", ":"))
    assert parsed(cell)[:1] != "-"


@cache
def guarded() -> re.Pattern[str]:
    (told,) = re.findall(r'^guarded = re\.compile\(r"(.+)"\)$', GUIDE.read_text(), re.MULTILINE)
    return re.compile(told)


def test_numbers_stay_numbers():
    (row,) = made_rows(1)
    negative = [-2.5 if field.kind == "double" else value for field, value in zip(EXPORT_FIELDS, row, strict=True)]

    (read,) = read_back("csv", CsvEncoder().begin() + CsvEncoder().add(columns_of([negative])))

    assert (read["score"], read["points_earned"], read["message_count"]) == ("-2.5", "-2.5", "3")


def test_null_and_empty_text_can_be_told_apart():
    row: list[Any] = [None if field.name == "cohort_id" else "" for field in EXPORT_FIELDS]
    for name, value in {"completed_at": NINE, "voided_at": None, "result_data": None, "official_reasons": "[]"}.items():
        row[EXPORT_COLUMN_NAMES.index(name)] = value

    (line,) = CsvEncoder().add(columns_of([row])).decode().splitlines()

    cells = line.split(",")
    assert (cells[EXPORT_COLUMN_NAMES.index("agent_name")], cells[EXPORT_COLUMN_NAMES.index("cohort_id")]) == ('""', "")


def parsed(written: str) -> str:
    """The cell as a reader of CSV has it, between two others."""
    ((first, text, last),) = csv.reader(io.StringIO(f"a,{written},b\r\n", newline=""), strict=True)
    assert (first, last) == ("a", "b")
    return text


# Names of files


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (None, "good-manners-2026-10-31.csv"),
        ("1.0.0", "good-manners-1.0.0-2026-10-31.csv"),
        ('1"; x=\r\n../é', "good-manners-1-x-..--2026-10-31.csv"),
    ],
)
def test_a_file_is_named_after_what_is_in_it_in_plain_characters(version: str | None, name: str):
    assert file_name("good-manners", version, NINE, "csv") == name
