"""Reading the stored sums of an evaluation's results: few rows, for any number of results."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results.intervals import PassGroup
from viva.results.model import Tally
from viva.results.official import Scope
from viva.results.sum_keys import ALL_VERSIONS
from viva.results.sums import HISTOGRAM_BINS, MAX_CRITERIA_PER_VERSION

MAX_VERSIONS_READ = 100
MAX_GROUPS_READ = 200  # 7 groups of session lengths, and the months of 16 years


class VersionSums(Tally, frozen=True):
    evaluation_version: str
    points_sum: float
    scored: int
    share_sum: float
    share_squares: float
    first_at: datetime
    last_at: datetime
    histogram: list[int]


class GroupSums(Struct, frozen=True):
    kind: str
    value: str
    attempts: int
    passed: int


class CriterionSums(Struct, frozen=True):
    criterion_id: str
    text: str
    met: int
    not_met: int
    unscored: int
    met_passed: int  # of the met ones, in results that were passed
    not_met_passed: int

    @property
    def judged_count(self) -> int:
        return self.met + self.not_met

    @property
    def in_passed(self) -> PassGroup:
        return PassGroup(self.met_passed, self.met_passed + self.not_met_passed)

    @property
    def in_failed(self) -> PassGroup:
        return PassGroup(self.met - self.met_passed, self.judged_count - self.in_passed.n)


class Sums(Struct, frozen=True):
    """`total` is for the requested version, or for all; `versions` has each version alone, the latest first."""

    total: VersionSums | None
    versions: list[VersionSums]
    groups: list[GroupSums]
    criteria: list[CriterionSums]


HISTOGRAM_JSON = "'[' || " + " || ',' || ".join(f"bin_{number}" for number in range(HISTOGRAM_BINS)) + " || ']'"
SELECT_TALLIES = f"""
    SELECT attempts, agents, passed, evaluation_version, points_sum, scored, share_sum, share_squares, first_at, last_at,
        {HISTOGRAM_JSON} AS histogram
    FROM evaluation_tallies WHERE scope = :scope AND evaluation_id = :evaluation_id
    ORDER BY CASE WHEN evaluation_version = :version THEN 0 ELSE 1 END, last_at DESC, evaluation_version
    LIMIT {MAX_VERSIONS_READ + 1}
"""
SELECT_GROUPS = f"""
    SELECT kind, value, attempts, passed FROM evaluation_group_tallies
    WHERE scope = :scope AND evaluation_id = :evaluation_id AND evaluation_version = :version
    ORDER BY kind, value DESC LIMIT {MAX_GROUPS_READ}
"""
SELECT_CRITERIA = f"""
    SELECT criterion_id, text, met, not_met, unscored, met_passed, not_met_passed FROM evaluation_criterion_tallies
    WHERE scope = :scope AND evaluation_id = :evaluation_id AND evaluation_version = :version
    ORDER BY criterion_id LIMIT {MAX_CRITERIA_PER_VERSION}
"""


def read(db: Connection, evaluation_id: str, version: str | None, scope: Scope = "official") -> Sums:
    version = ALL_VERSIONS if version is None else version
    values = {"scope": scope, "evaluation_id": evaluation_id, "version": version}
    tallies = many(VersionSums, db.execute(SELECT_TALLIES, values))
    return Sums(
        total=next((tally for tally in tallies if tally.evaluation_version == version), None),
        versions=[tally for tally in tallies if tally.evaluation_version != ALL_VERSIONS],
        groups=many(GroupSums, db.execute(SELECT_GROUPS, values)),
        criteria=many(CriterionSums, db.execute(SELECT_CRITERIA, values)),
    )
