"""The versions of one agent compared: how each did in the evaluations that more than one of them took."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results.intervals import PassGroup, difference_p, wilson_interval
from viva.results.overview import PassRate
from viva.results.sum_keys import ALL_VERSIONS

MAX_VERSIONS_READ = 200  # of an agent, over all evaluations, the newest first
CHANCE_LIMIT = 0.05  # a difference with a higher p-value may be chance


class AgentVersion(Struct, frozen=True):
    """An agent's attempts at one evaluation as one version. Each text is empty if the agent did not say it."""

    evaluation_id: str
    evaluation_name: str
    agent_version: str
    agent_model: str
    agent_framework: str
    attempts: int
    passes: int
    result_id: str  # of the best result
    score: float | None
    max_score: float | None
    completed_at: datetime  # of the newest result
    evaluation_versions: int  # how many versions of the evaluation it took

    @property
    def name(self) -> str:
        said = (self.agent_version, self.agent_model, self.agent_framework)
        return ", ".join(dict.fromkeys(filter(None, said)))  # a line of what is hidden stands in each place

    @property
    def group(self) -> PassGroup:
        return PassGroup(self.passes, self.attempts)

    @property
    def rate(self) -> PassRate:
        return PassRate(*self.group, self.passes / self.attempts, *wilson_interval(*self.group))


class VersionComparison(Struct, frozen=True):
    """The versions of an agent in one evaluation, the one with the newest result first."""

    evaluation_id: str
    evaluation_name: str
    versions: list[AgentVersion]

    @property
    def is_mixed(self) -> bool:
        """Whether some of the attempts may be at different versions of the evaluation."""
        return any(version.evaluation_versions > 1 for version in self.versions)

    @property
    def may_be_chance(self) -> bool:
        """Whether all differences between the newest version and the others may be chance (Bonferroni)."""
        newest, *others = self.versions
        return all(difference_p(newest.group, other.group) >= CHANCE_LIMIT / len(others) for other in others)


def list_comparisons(db: Connection, agent_id: str) -> list[VersionComparison]:
    """The evaluations that several versions of the agent took, by official results over all versions of the evaluation."""
    found = many(
        AgentVersion,
        db.execute(
            f"""
            SELECT s.evaluation_id, coalesce(e.title, e.name) AS evaluation_name, s.agent_version, s.agent_model,
                s.agent_framework, s.attempts, s.passes, s.result_id, s.score, s.max_score, last.completed_at,
                last.evaluation_versions
            FROM agent_version_standings s JOIN evaluation_definitions e ON e.id = s.evaluation_id
                JOIN (
                    SELECT evaluation_id, coalesce(agent_version, '') AS version, coalesce(agent_model, '') AS model,
                        coalesce(agent_framework, '') AS framework, max(completed_at) AS completed_at,
                        count(DISTINCT evaluation_version) AS evaluation_versions
                    FROM evaluation_results
                    WHERE agent_id = :agent AND official AND voided_at IS NULL AND NOT is_private
                    GROUP BY 1, 2, 3, 4
                ) last ON last.evaluation_id = s.evaluation_id AND last.version = s.agent_version
                    AND last.model = s.agent_model AND last.framework = s.agent_framework
            WHERE s.agent_id = :agent AND s.evaluation_version = '{ALL_VERSIONS}' AND s.scope = 'official'
            ORDER BY last.completed_at DESC, s.result_id DESC LIMIT :limit
            """,
            {"agent": agent_id, "limit": MAX_VERSIONS_READ},
        ),
    )
    return compare_versions(found)


def compare_versions(found: Sequence[AgentVersion]) -> list[VersionComparison]:
    by_evaluation = sorted(found, key=lambda each: (each.evaluation_name, each.evaluation_id))  # stable: newest first
    groups = (list(group) for _, group in groupby(by_evaluation, key=lambda each: each.evaluation_id))
    return [
        VersionComparison(versions[0].evaluation_id, versions[0].evaluation_name, versions)
        for versions in groups
        if len(versions) > 1
    ]
