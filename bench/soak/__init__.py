"""A mixed load of 200 agents on PostgreSQL while processes are killed and the database restarts: nothing is lost or doubled."""

from bench.soak.running import run

__all__ = ["run"]
