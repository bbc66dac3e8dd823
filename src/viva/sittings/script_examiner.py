"""A proctor that follows the SIP's script. Its checks mark; what they leave open is graded by judges, if there are any."""

from collections.abc import Sequence

from viva.exams.script_marks import CriterionMark, mark_criterion
from viva.exams.scripting import ScriptLine, answers_in, find_next_line
from viva.judging.panel import Panel
from viva.kit.errors import Invalid
from viva.sittings.briefs import ProctorBrief
from viva.sittings.grading import grade_criteria
from viva.sittings.transcripts import SessionMessage


class NoScript(Invalid):
    """This evaluation has no script, or it is not shown to your account, which is not qualified. Examine with --proctor AGENT, or in the browser."""


class ScriptExaminer:
    def __init__(self, panel: Panel) -> None:
        self._panel = panel

    def find_next_line(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> ScriptLine | None:
        if brief.script is None:
            raise NoScript()
        return find_next_line(brief.script, messages)

    def mark(self, brief: ProctorBrief, messages: Sequence[SessionMessage]) -> list[CriterionMark]:
        if brief.script is None:
            raise NoScript()
        answers = answers_in(messages)
        marks = [mark_criterion(each, brief.script, answers) for each in brief.criteria]
        graded = {each.id: each for each in self._grade([each for each in marks if each.mark is None], messages)}
        return [graded.get(each.id, each) for each in marks]

    def _grade(self, unmarked: list[CriterionMark], messages: Sequence[SessionMessage]) -> list[CriterionMark]:
        return grade_criteria(self._panel, unmarked, messages, has_script=True) if self._panel else []
