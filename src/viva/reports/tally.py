"""A tally of many analyses: sums, counts and the lowest scores. Its memory does not grow with their number."""

import heapq
from collections import Counter

from viva.engine.analysis import Analysis
from viva.engine.evidence import DetectionType
from viva.reports.words import SESSION_SCORES

LOWEST_ANALYSES_KEPT = 20  # whole, so that a report can show them
SCORE_BINS = 20


class AnalysisTally:
    """Counts and sums of many analyses, and the lowest ones in full."""

    def __init__(self) -> None:
        self.count = self.responses = self.bad_turns = 0
        self.sums = dict.fromkeys(SESSION_SCORES, 0.0)
        self.known: Counter[str] = Counter()
        self.detections: Counter[DetectionType] = Counter()
        self.issues: Counter[str] = Counter()
        self.outcomes: Counter[bool | None] = Counter()
        self.bins = [0] * SCORE_BINS
        self.first: Analysis | None = None
        self._heap: list[tuple[float, int, Analysis]] = []

    def add(self, analysis: Analysis) -> None:
        self.count += 1
        self.first = self.first or analysis
        self.responses += analysis.conversation.total_responses
        self.bad_turns += analysis.conversation.bad_responses
        self.outcomes[analysis.task_completion] += 1
        self.detections.update(turn.detection_type for turn in analysis.turn_results if turn.is_bad)
        self.issues.update(issue.type for issue in analysis.issues)
        for name in SESSION_SCORES:
            value: float | None = getattr(analysis, name)
            if value is not None:
                self.sums[name] += value
                self.known[name] += 1
        if analysis.overall_score is not None:
            self.bins[min(int(analysis.overall_score * SCORE_BINS), SCORE_BINS - 1)] += 1
            self._keep(analysis, analysis.overall_score)

    def _keep(self, analysis: Analysis, overall: float) -> None:
        """Keep the analysis if it is among the lowest. Among equals, the first ones stay."""
        entry = (-overall, -self.count, analysis)
        if len(self._heap) < LOWEST_ANALYSES_KEPT:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    @property
    def lowest(self) -> list[Analysis]:
        """The analyses with the lowest overall scores, the lowest first."""
        return [entry[2] for entry in sorted(self._heap, key=lambda entry: entry[:2], reverse=True)]

    def average(self, name: str) -> float | None:
        return self.sums[name] / self.known[name] if self.known[name] else None
