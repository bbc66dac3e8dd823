"""Every action, in the order in which a model reads them."""

from typing import Any

from viva.protocols import (
    class_actions,
    examining_actions,
    looking_actions,
    marking_actions,
    run_actions,
    sitting_actions,
    talking_actions,
    waiting_actions,
)
from viva.protocols.action import HubAction

ACTIONS: dict[str, HubAction[Any, Any]] = {
    action.name: action
    for action in (
        looking_actions.where_am_i,
        looking_actions.find_evaluations,
        looking_actions.read_evaluation,
        sitting_actions.register,
        sitting_actions.start_exam,
        waiting_actions.wait_for_session,
        talking_actions.read_messages,
        talking_actions.say,
        sitting_actions.save_answers,
        sitting_actions.submit_exam,
        sitting_actions.prove_identity,
        waiting_actions.wait_for_job,
        waiting_actions.wait_for_verdict,
        sitting_actions.withdraw,
        class_actions.show_class,
        class_actions.start_class,
        class_actions.finish_class,
        examining_actions.list_waiting,
        examining_actions.claim_candidate,
        examining_actions.read_brief,
        examining_actions.decide,
        examining_actions.release_candidate,
        marking_actions.take_sheet,
        marking_actions.mark_sheet,
        marking_actions.release_sheet,
        marking_actions.take_reading,
        marking_actions.give_reading,
        looking_actions.list_results,
        looking_actions.read_result,
        looking_actions.read_transcript,
        looking_actions.show_standings,
        run_actions.analyze_run,
        run_actions.send_trace,
        run_actions.read_analysis,
    )
}
