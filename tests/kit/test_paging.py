"""Pages and the cursors between them."""

import base64
from datetime import UTC, datetime

import pytest

from viva.kit.paging import MAX_PAGE_BYTES, BadCursor, cursor_at, encoded_size, page, read_cursor, take_fitting

MOMENT = datetime(2026, 11, 15, 9, 30, 0, 123456, UTC)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ((7,), tuple[int]),
        (("eval_sess_1",), tuple[str]),
        ((MOMENT, "eval_res_1"), tuple[datetime, str]),
        ((0.1, "eval_res_1"), tuple[float, str]),
        ((-1, "eval_res_1"), tuple[float, str]),
        (("naïve ?&=/+",), tuple[str]),
    ],
)
def test_a_cursor_gives_back_the_key_it_was_made_from(key, kind):
    assert read_cursor(cursor_at(key), kind) == key


def test_a_cursor_can_stand_in_an_address_as_it_is():
    cursors = [cursor_at((text,)) for text in ("?" * 20, "~" * 21, "ÿ" * 22)]

    assert all(
        set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") for cursor in cursors
    )


def coded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "%%%",
        "é",
        "not a cursor",
        coded("[7"),
        coded("7"),
        coded("[]"),
        coded('["7"]'),
        coded("[7, 8]"),
        coded("[7.5]"),
        coded("[null]"),
        cursor_at((7,))[:-1],
        cursor_at((7,)) + "A",
        cursor_at(("eval_sess_1",)),
    ],
)
def test_a_cursor_that_was_tampered_with_is_refused(cursor):
    with pytest.raises(BadCursor) as refused:
        read_cursor(cursor, tuple[int])

    assert refused.value.status == 422
    assert [fault.field for fault in refused.value.faults] == ["cursor"]


def test_a_page_has_at_most_its_limit_and_says_where_the_next_begins():
    found = page([1, 2, 3, 4], 3, lambda row: (row,))

    assert found.items == [1, 2, 3]
    assert found.next_cursor is not None
    assert read_cursor(found.next_cursor, tuple[int]) == (3,)


@pytest.mark.parametrize("rows", [[], [1], [1, 2, 3]])
def test_the_last_page_has_no_cursor(rows):
    assert page(rows, 3, lambda row: (row,)) == (rows, None)


def test_a_page_of_large_items_ends_by_their_bytes_and_says_that_others_follow():
    rows = [(number, "x" * (MAX_PAGE_BYTES // 3)) for number in range(5)]

    found = page(rows, 4, lambda row: row[:1])

    assert [number for number, _ in found.items] == [0, 1]
    assert read_cursor(found.next_cursor or "", tuple[int]) == (1,)
    assert page(rows[:2], 4, lambda row: row[:1]) == (rows[:2], None)
    assert page([], 4, lambda row: row[:1]) == ([], None)


def test_an_item_larger_than_a_page_has_a_page_of_its_own():
    rows = [(number, "x" * MAX_PAGE_BYTES) for number in range(2)]

    assert page(rows, 4, lambda row: row[:1]) == (rows[:1], cursor_at((0,)))
    assert page(rows[1:], 4, lambda row: row[:1]) == (rows[1:], None)


def test_items_fit_up_to_the_last_byte_and_no_more_than_one_beyond_is_read():
    read = []

    def items():
        for text in ("aa", "bb", "cc", "dd"):
            read.append(text)
            yield text

    assert take_fitting(items(), encoded_size, 8) == ["aa", "bb"]
    assert read == ["aa", "bb", "cc"]
    assert take_fitting(["aa", "bb"], encoded_size, 7) == ["aa"]
