"""Running the exams of the demo, each type through the same flow that requests use."""

from collections.abc import Callable
from typing import Any

from viva.demo.class_exams import run_class
from viva.demo.hub import DemoHub
from viva.demo.model import DemoAttempt, DemoClass, DemoExam, DemoProctoredExam
from viva.demo.proctored_exams import run_proctored_exam
from viva.demo.solo_exams import run_solo_exam

RUN_BY_TYPE: dict[type[DemoExam], Callable[[DemoHub, Any], None]] = {
    DemoProctoredExam: run_proctored_exam,
    DemoAttempt: run_solo_exam,
    DemoClass: run_class,
}


def run_exam(hub: DemoHub, exam: DemoExam) -> None:
    RUN_BY_TYPE[type(exam)](hub, exam)
