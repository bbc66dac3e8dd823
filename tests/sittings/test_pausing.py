from itertools import islice
from threading import Event

from viva.sittings.pausing import Pauses


def test_a_stop_ends_the_waiting_in_the_middle_of_a_pause():
    stop = Event()
    stop.set()

    assert len(list(islice(Pauses(stop=stop), 3))) == 1
