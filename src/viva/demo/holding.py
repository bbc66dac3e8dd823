"""Holding the exams of the demo, each kind through the flow that everybody goes through."""

from collections.abc import Callable
from typing import Any

from viva.demo.class_holding import hold_class
from viva.demo.model import ClassWork, Exam, Sitting, Talk
from viva.demo.room import Room
from viva.demo.sitting import sit
from viva.demo.talking import talk

HOLDING: dict[type[Exam], Callable[[Room, Any], None]] = {Talk: talk, Sitting: sit, ClassWork: hold_class}


def hold(room: Room, exam: Exam) -> None:
    HOLDING[type(exam)](room, exam)
