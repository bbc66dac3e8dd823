"""Holding the exams of the demo, each kind through the flow that everybody goes through."""

from collections.abc import Callable
from typing import Any

from viva.demo.class_holding import hold_class
from viva.demo.model import DemoAttempt, DemoClass, DemoExam, DemoProctoredExam
from viva.demo.room import Room
from viva.demo.sitting import sit
from viva.demo.talking import talk

HOLDING: dict[type[DemoExam], Callable[[Room, Any], None]] = {
    DemoProctoredExam: talk,
    DemoAttempt: sit,
    DemoClass: hold_class,
}


def hold(room: Room, exam: DemoExam) -> None:
    HOLDING[type(exam)](room, exam)
