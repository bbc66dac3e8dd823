"""The benchmarks write rows directly into an old schema, so a new column can break them unseen."""

from bench.filling import fill_database
from viva.results import leaderboard


def test_a_filled_database_has_its_results_counted(tmp_path):
    database, ids = fill_database(f"sqlite:///{tmp_path / 'viva.db'}", count=200, agents=80)

    top = database.read_now(lambda db: leaderboard.top(db, ids.evaluation_id, None, limit=10, cursor=None))

    assert [standing.rank for standing in top.items][:1] == [1]
    assert len(top.items) == 10
    database.close()
