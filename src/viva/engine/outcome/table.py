"""The features of completion: what each sign of a run means if it speaks for a failure."""

from viva.engine.logistic import Feature, FeatureTable
from viva.engine.outcome.closing import closing, final_answer, is_declined_for_a_rule
from viva.engine.outcome.ending import ending_signs
from viva.engine.outcome.requests import asked_of, asks_yes_or_no, task_of
from viva.engine.outcome.signs import Sign, flag
from viva.engine.outcome.solution import solution_signs
from viva.engine.outcome.tries import tries
from viva.engine.outcome.work import work_signs
from viva.engine.reading import Reading, once

COMPLETION: FeatureTable = (
    Feature("undone", "The task orders a change, but no call changed anything", 1),
    Feature("last_failed", "The last thing that was tried failed", 1),
    Feature("refused_told_as_done", "A tool did not do it, and the answer does not say so", 1),
    Feature("found_nothing", "Calls found nothing", 1),
    Feature("repeats", "The same was tried again with the same outcome", 1),
    Feature("failures", "Several things failed on the way", 1),
    Feature("length", "Longer runs fail more often", 1),
    Feature("gives_up", "The answer says that it could not be done", 1),
    Feature("asks_back", "The answer asks the user back", 1),
    Feature("empty", "There is no answer", 1),
    Feature("persists", "The user's last words say that the problem is still there", 1),
    Feature("unheeded", "The user's last words reject the answer, and nothing was done about it", 1),
    Feature("assumed", "The solution rests on an assumption", 1),
    Feature("missing", "An agent says that something needed is not given", 1),
    Feature("doubted", "Agents found mistakes or contradictions in the work", 1),
    Feature("odd", "The answer is no possible count: negative, none, or a fraction of a thing", 1),
    Feature("false_sum", "An equation does not hold", 1),
    Feature("yes_or_no", "The task asks for no more than yes or no", -1),
)


@once
def run_signs(reading: Reading) -> list[Sign]:
    """Every sign of a run, in no matter which form it was recorded."""
    task, done = task_of(reading), tries(reading)
    final = final_answer(reading)
    close = closing(final.text)
    if final.turn < len(reading.trace.turns) - 1:  # the user has replied to it
        close = close._replace(asks_back="")
    if not any(one.has_changed for one in done) and is_declined_for_a_rule(reading):
        close = close._replace(gives_up="", declined=True)
    return [
        *work_signs(reading, asked_of(reading), done, close),
        *ending_signs(reading, final, done, close),
        *solution_signs(reading, task),
        flag("yes_or_no", asks_yes_or_no(task)),
    ]
