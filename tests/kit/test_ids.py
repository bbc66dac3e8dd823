"""Ids: their prefix, their order and how hard they are to guess."""

import re
import time

from viva.kit.ids import new_id


def test_an_id_has_its_prefix_and_thirty_two_hex_digits():
    assert re.fullmatch("eval_sess_[0-9a-f]{32}", new_id("eval_sess"))


def test_ids_sort_by_the_millisecond_they_were_made_in():
    made = []
    for _ in range(5):
        made.append(new_id("job"))
        time.sleep(0.002)

    assert sorted(made) == made


def test_eighty_bits_of_an_id_are_random():
    tails = {new_id("job")[-20:] for _ in range(1000)}

    assert len(tails) == 1000
    for place in range(20):
        assert len({tail[place] for tail in tails}) == 16, f"digit {place} is not random"
