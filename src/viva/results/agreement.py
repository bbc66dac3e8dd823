"""Agreement of markers: how far second readings agree with first verdicts, and who marks more strictly than others."""

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many, one
from viva.results.intervals import mean_interval, wilson_interval

MIN_PAIRS = 5  # fewer pairs are too few for a statement
MAX_PAIRS_READ = 10_000  # the newest; more would change no figure that people read
MAX_PROCTORS_SHOWN = 50


class Kappa(Struct, frozen=True):
    """Cohen's kappa of passing and failing, with its 95 % interval: 1 is full agreement, 0 is that of chance."""

    value: float
    low: float
    high: float
    pairs: int


class MeanDifference(Struct, frozen=True):
    """The mean of a difference of shares from 0 to 1, with its 95 % interval and count."""

    share: float
    low: float
    high: float
    pairs: int


class Strictness(Struct, frozen=True):
    """How much less a proctor gives than others give the same work, as a share of the maximum. Below 0 it gives more."""

    agent_id: str
    name: str
    strictness: MeanDifference


class MarkerAgreement(Struct, frozen=True):
    """`pairs` are verdicts that were drawn for a second reading and read, once the reading is closed. A figure needs at least five of them.

    There is no kappa where all verdicts are the same. `mean_difference` is the other score less the first or own one."""

    pairs: int
    agreed: int
    kappa: Kappa | None
    mean_difference: MeanDifference | None


class EvaluationAgreement(MarkerAgreement, frozen=True):
    """The agreement about an evaluation, and the strictness of the proctors who examine or mark there."""

    strictness: list[Strictness]


class ProctorAgreement(MarkerAgreement, frozen=True):
    """The agreement of one proctor with others, over all evaluations."""

    strictness: MeanDifference | None


class PairSums(Struct, frozen=True):
    """Pairs by both verdicts, and the sums of the differences of their scores and of their values.

    The value of a verdict is its score as a share, or 1 or 0 where a verdict has none."""

    both_passed: int
    first_alone: int
    second_alone: int
    neither: int
    scored: int
    difference_sum: float
    difference_squares: float
    value_sum: float
    value_squares: float

    @property
    def pairs(self) -> int:
        return self.both_passed + self.first_alone + self.second_alone + self.neither

    @property
    def agreeing_pairs(self) -> int:
        return self.both_passed + self.neither


class ProctorSums(PairSums, frozen=True):
    agent_id: str
    name: str


# Pairs `p` of drawn readings. Those of appeals are left out, since nobody appeals against what suits them. So are those that wait
# for a third marker: the count would tell that marker that the first two differ.
SHARE = "CASE WHEN {0}max_score > 0 THEN {0}score / {0}max_score END"
PAIRS = f"""
    SELECT s.id, s.first_passed AS one, v.passed AS other, {SHARE.format("s.first_")} AS one_share,
        {SHARE.format("v.")} AS other_share, s.first_marker_id AS one_id, v.marker_agent_id AS other_id
    FROM second_readings s JOIN blind_verdicts v ON v.second_reading_id = s.id AND v.place = 2
    WHERE s.cause = 'draw' AND s.status <> 'open' AND {{condition}} ORDER BY s.id DESC LIMIT {MAX_PAIRS_READ}
"""
TURNED = "id, other AS one, one AS other, other_share AS one_share, one_share AS other_share, other_id AS one_id"
ONE_VALUE, OTHER_VALUE = (
    f"CASE WHEN one_share IS NULL OR other_share IS NULL THEN CASE WHEN {name} THEN 1.0 ELSE 0.0 END ELSE {name}_share END"
    for name in ("one", "other")
)
DIFFERENCE, VALUE = "(other_share - one_share)", f"({OTHER_VALUE} - {ONE_VALUE})"
SUMS = f"""
    count(CASE WHEN one AND other THEN 1 END) AS both_passed,
    count(CASE WHEN one AND NOT other THEN 1 END) AS first_alone,
    count(CASE WHEN other AND NOT one THEN 1 END) AS second_alone,
    count(CASE WHEN NOT one AND NOT other THEN 1 END) AS neither,
    count({DIFFERENCE}) AS scored,
    coalesce(sum({DIFFERENCE}), 0.0) AS difference_sum,
    coalesce(sum({DIFFERENCE} * {DIFFERENCE}), 0.0) AS difference_squares,
    coalesce(sum({VALUE}), 0.0) AS value_sum,
    coalesce(sum({VALUE} * {VALUE}), 0.0) AS value_squares
"""


def read_agreement(db: Connection, evaluation_id: str) -> EvaluationAgreement:
    """The agreement about the evaluation, over all its versions."""
    pairs = PAIRS.format(condition="s.evaluation_id = :id")
    values = {"id": evaluation_id, "least": MIN_PAIRS, "most": MAX_PROCTORS_SHOWN}
    total = one(PairSums, db.execute(f"SELECT {SUMS} FROM ({pairs}) pairs", values), LookupError)
    if total.pairs < MIN_PAIRS:
        return EvaluationAgreement(*figures_of(total), strictness=[])
    proctors = db.execute(
        f"""
        WITH pairs AS ({pairs}), each_way AS (
            SELECT id, one, other, one_share, other_share, one_id FROM pairs UNION ALL SELECT {TURNED} FROM pairs)
        SELECT {SUMS}, a.id AS agent_id, {name_of("a")} AS name FROM each_way JOIN agents a ON a.id = one_id
        GROUP BY a.id HAVING count(*) >= :least ORDER BY count(*) DESC, a.id LIMIT :most
        """,
        values,
    )
    return EvaluationAgreement(
        *figures_of(total),
        strictness=[
            Strictness(sums.agent_id, sums.name, figure)
            for sums in many(ProctorSums, proctors)
            if (figure := strictness_of(sums))
        ],
    )


def read_agreement_of(db: Connection, agent_id: str) -> ProctorAgreement | None:
    """How the agent agrees with other markers; None if nobody has read what it decided, and it has read nothing."""
    first, second = (PAIRS.format(condition=f"{column} = :id") for column in ("s.first_marker_id", "v.marker_agent_id"))
    sums = one(
        PairSums,
        db.execute(
            f"""
            SELECT {SUMS} FROM (
                SELECT id, one, other, one_share, other_share, one_id FROM ({first}) given
                UNION ALL SELECT {TURNED} FROM ({second}) reread) pairs
            """,
            {"id": agent_id},
        ),
        LookupError,
    )
    return ProctorAgreement(*figures_of(sums), strictness=strictness_of(sums)) if sums.pairs else None


def figures_of(sums: PairSums) -> tuple[int, int, Kappa | None, MeanDifference | None]:
    difference = mean_difference(sums.scored, sums.difference_sum, sums.difference_squares)
    return sums.pairs, sums.agreeing_pairs, compute_kappa(sums), difference


def strictness_of(sums: PairSums) -> MeanDifference | None:
    return mean_difference(sums.pairs, sums.value_sum, sums.value_squares)


def mean_difference(n: int, total: float, squares: float) -> MeanDifference | None:
    return None if n < MIN_PAIRS else MeanDifference(total / n, *mean_interval(n, total, squares, least=-1.0), n)


def compute_kappa(sums: PairSums) -> Kappa | None:
    """Cohen's kappa. The agreement of chance counts as known, as in Cohen (1960); the observed one has its Wilson
    interval, which stays honest where all pairs agree."""
    n = sums.pairs
    if n < MIN_PAIRS:
        return None
    first, second = (sums.both_passed + sums.first_alone) / n, (sums.both_passed + sums.second_alone) / n
    chance = first * second + (1 - first) * (1 - second)
    if chance == 1:  # all verdicts are the same
        return None
    shares = (sums.agreeing_pairs / n, *wilson_interval(sums.agreeing_pairs, n))
    value, low, high = (max(-1.0, (share - chance) / (1 - chance)) for share in shares)
    return Kappa(value, low, high, n)
