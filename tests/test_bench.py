"""The benchmarks write rows directly into an old schema, so a new column can break them unseen. Their models are arithmetic."""

import socket
import sys
import threading
from collections import Counter

import pytest

from bench import __main__ as benchmarks
from bench.cost_model import LONE_POST, POST, Cost, add_costs, mean_cost
from bench.filling import fill_database
from bench.round_trips import CountingProxy
from bench.saturation import EXAM_OPERATIONS, EXAM_REQUESTS, EXAM_SECONDS, Capacities, list_resources
from bench.simulation import SimulatedHall, simulate
from viva.results import leaderboard

NOTHING = Cost(0, 0, 0, 0, 0, 0, 0, 0)


def test_a_filled_database_has_its_results_counted(tmp_path):
    database, ids = fill_database(f"sqlite:///{tmp_path / 'viva.db'}", count=200, agents=80)

    top = database.read_now(lambda db: leaderboard.top(db, ids.evaluation_id, None, limit=10, cursor=None))

    assert [standing.rank for standing in top.items][:1] == [1]
    assert len(top.items) == 10
    database.close()


def test_a_mix_costs_what_its_requests_cost():
    costs = {"read": NOTHING._replace(server=1, wal_bytes=0), "write": NOTHING._replace(server=3, wal_bytes=800)}

    mixed = add_costs(costs, Counter({"read": 3, "write": 1}))

    assert (mixed.server, mixed.wal_bytes) == (1.5, 200)
    assert mean_cost(list(costs.values())).server == 2


def test_a_post_meets_as_many_others_as_posts_have_of_the_time():
    costs = {
        "read": NOTHING._replace(server=1),
        POST: NOTHING._replace(server=1, commits=0.2),
        LONE_POST: NOTHING._replace(server=3, commits=1),
    }

    mixed = add_costs(costs, Counter({"read": 3, POST: 1}))

    assert mixed.server == (3 * 1 + 2.5) / 4  # a quarter of the way from 3 to 1
    assert mixed.commits == 0.8 / 4


@pytest.mark.parametrize(
    ("cost", "hall", "rate"),
    [
        pytest.param({"server": 0.004}, SimulatedHall(1, 2), 250, id="one process"),
        pytest.param({"server": 0.004, "database": 0.001}, SimulatedHall(2, 2), 500, id="two processes"),
        pytest.param({"server": 0.001, "database": 0.004}, SimulatedHall(8, 2), 500, id="cores of the database"),
        pytest.param(
            {"server": 0.002, "database": 0.002, "client": 0.001},
            SimulatedHall(8, 9, shared_cores=2),
            400,
            id="all cores",
        ),
        pytest.param({"server": 0.001, "chained": 0.1}, SimulatedHall(8, 2, commit_seconds=0.1), 100, id="the chain"),
    ],
)
def test_a_simulated_hall_is_as_fast_as_what_is_saturated(cost, hall, rate):
    load = simulate(NOTHING._replace(**cost), hall, callers=32, requests=4_000)

    assert load.rate == pytest.approx(rate, rel=0.1)
    assert load.mean_seconds == pytest.approx(32 / rate, rel=0.1)  # Little's law


def test_resources_come_in_the_order_in_which_they_saturate():
    costs = dict.fromkeys((*EXAM_OPERATIONS, LONE_POST), NOTHING._replace(server=0.001)) | {
        "give a verdict": NOTHING._replace(server=0.001, chained=1)
    }
    capacities = Capacities(chained=100, unchained=900, commit_seconds=0.02, wal_bytes=1e8, cores=2, connections=97)

    resources = list_resources(costs, NOTHING, capacities)

    assert resources[0].what == "one server process"
    by_name = {resource.what: resource.saturated_at for resource in resources}
    assert by_name["the chain of events"] == pytest.approx(0.7 * 100 * EXAM_SECONDS)  # one verdict in each exam
    assert by_name["one server process"] == pytest.approx(0.7 / (EXAM_REQUESTS / EXAM_SECONDS * 0.001))


def test_a_round_trip_is_a_question_with_its_answer_however_many_parts_they_have(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "server"))
        listener.listen()
        proxy = CountingProxy(str(tmp_path / "server"))
        with socket.create_connection(("127.0.0.1", proxy.port)) as hub:
            server, _ = listener.accept()
            for _ in range(3):
                for part in (b"ask", b"more"):
                    hub.sendall(part)
                    assert server.recv(10) == part
                for part in (b"answer", b"and the rest"):
                    server.sendall(part)
                    assert hub.recv(20) == part
            server.close()
        proxy.close()

    assert proxy.round_trips == 3


def test_help_has_every_benchmark_in_order(capsys):
    assert benchmarks.main(["--help"]) == 0

    shown = capsys.readouterr().out
    places = [shown.index(f"\n  {name} ") for name in benchmarks.BENCHMARKS]
    assert places == sorted(places)


def test_an_unknown_benchmark_runs_nothing(capsys):
    assert benchmarks.main(["gate", "gatte"]) == 2

    assert "min" in capsys.readouterr().out


def test_a_benchmark_that_fails_does_not_cost_the_others(capsys):
    ran = threading.Event()
    table = {
        "gate": benchmarks.Benchmark(lambda: sys.exit("No."), 1),
        "jobs": benchmarks.Benchmark(lambda: 1 // 0, 1),
        "live": benchmarks.Benchmark(ran.set, 1),
    }

    assert benchmarks.main([], table) == 1

    assert ran.is_set()
    assert capsys.readouterr().out.endswith("was missed: gate, jobs\n")
