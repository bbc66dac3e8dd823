"""The features of completion: what each sign of a run means if it speaks for a failure."""

from viva.engine.detectors import rdm
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.outcome.closing import Closing, FinalAnswer, closing, final_answer, is_declined_for_a_rule
from viva.engine.outcome.signs import Sign, flag
from viva.engine.outcome.tries import Try, only_looks, tries
from viva.engine.outcome.work import asked_of, asks_yes_or_no, solution_signs, task_of, work_signs
from viva.engine.reading import Reading, answer, once
from viva.engine.text.phrases import Phrases

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
    Feature("unheeded", "The user's last words do not accept the answer, and nothing was done about it", 1),
    Feature("assumed", "The solution rests on an assumption", 1),
    Feature("missing", "An agent says that something needed is not given", 1),
    Feature("doubted", "Agents found mistakes or contradictions in the work", 1),
    Feature("odd", "The answer is no possible count: negative, none, or a fraction of a thing", 1),
    Feature("false_sum", "An equation does not hold", 1),
    Feature("yes_or_no", "The task asks for no more than yes or no", -1),
)
MAX_MESSAGE_CHARACTERS = 4_000  # of one message that are looked at
UNACCEPTED = 0.3  # at even odds of dissatisfaction; fewest false alarms for what it finds on sources left out
EXCUSE_CHARACTERS = 100  # of a reply that mends nothing
EXCUSE = Phrases(r"(?:sorry|apolog\w+|unfortunately|afraid|understand|regret)\b")
# The patterns are for texts in small letters: to look for either case takes three times as long.
PERSISTS = Phrases(
    r"(?:still (?:not|no|isn'?t|doesn'?t|can'?t|won'?t|having|get|getting|broken|the same)|(?:doesn'?t|not|isn'?t|didn'?t) work\w*"
    r"|no luck|useless|waste of|give up|not (?:what i|helpful|satisfied|happy)|disappoint\w*|unacceptable|frustrat\w*|incorrect|wrong)\b"
)


@once
def run_signs(reading: Reading) -> list[Sign]:
    task, done = task_of(reading), tries(reading)
    final = final_answer(reading)
    close = closing(final.text)
    if final.turn < len(reading.trace.turns) - 1:  # the user has replied to it
        close = close._replace(asks_back="")
    if not any(one.changing and not one.failed for one in done) and is_declined_for_a_rule(reading):
        close = close._replace(gives_up="", declined=True)
    return [
        *work_signs(reading, asked_of(reading), done, close),
        *ending_signs(reading, final, done, close),
        *solution_signs(reading, task),
        flag("yes_or_no", asks_yes_or_no(task)),
    ]


def ending_signs(reading: Reading, final: FinalAnswer, done: list[Try], close: Closing) -> list[Sign]:
    """What the last answer and the user's last words say about the end of a run."""
    end = len(reading.trace.turns) - 1
    last = done[-1] if done and done[-1].turn == end else None
    # Whoever was declined for a rule is displeased with the rule, not with the agent.
    heard = end and not close.declined
    user = (reading.trace.turns[end].user_message or "")[:MAX_MESSAGE_CHARACTERS] if heard else ""
    reply = answer(reading.trace.turns[end])[: EXCUSE_CHARACTERS + 1].lower()
    excused = len(reply) <= EXCUSE_CHARACTERS and (not reply or EXCUSE.said_in(reply))
    unaccepted = user and (reading.once(rdm.detect)[end - 1].probability or 0.0) >= UNACCEPTED
    worked = last is not None and not last.failed
    stopped = last is not None and (last.failed or only_looks(last.tool)) and not answer(reading.trace.turns[end])
    return [
        flag("gives_up", bool(close.gives_up), close.gives_up, final.turn),
        flag("asks_back", bool(close.asks_back), close.asks_back, final.turn),
        flag("empty", stopped or not (close.text or worked)),
        flag("persists", PERSISTS.said_in(user.lower()), user, end),
        flag("unheeded", bool(unaccepted) and excused and last is None, user, end),
    ]
