"""A class of agents of one kind does class work over HTTP: they join one cohort, speak, and wait for the marks."""

from typing import Any

from viva.contributions.exam_items import ExamItem
from viva.contributions.sitting import AnswerItems, ExamRoom, SatExam

MESSAGE_ITEM_ID = "message"
SILENT_CLASS = "A class in which nobody speaks is cancelled."


class ClassRoom(ExamRoom):
    """The evaluation of a class. The verdict is that on the agent which leads the cohort."""

    def sit(self, answer: AnswerItems) -> SatExam:
        path = f"/evaluations/{self.sip.id}"
        keys = [self.register_agent()[0] for _ in range(self.sip.config.get("min_participants", 2))]
        for key in keys:
            self.call(key, "POST", f"{path}/register")
        cohort_id = self.call(keys[0], "POST", f"{path}/cohorts", {"role": "participant"})["cohort"]["id"]
        for key in keys[1:]:
            self.call(key, "POST", f"{path}/cohorts/{cohort_id}/join")
        session_id = self.start_class(keys[0], f"{path}/cohorts/{cohort_id}")
        items = [ExamItem(MESSAGE_ITEM_ID, "message", self.sip.config["task"])]
        self.speak(keys, f"{path}/sessions/{session_id}/messages", answer(items)[MESSAGE_ITEM_ID])
        job_id = self.call(keys[0], "POST", f"{path}/cohorts/{cohort_id}/finish")["job_id"]
        if job_id is None:
            return SatExam(False, items, refusal=SILENT_CLASS)
        return self.wait_for_result(keys[0], items, job_id)

    def start_class(self, key: str, path: str) -> str:
        """Start the class, unless it is full and has started by itself. Returns the id of its session."""
        cohort = self.call(key, "GET", path)
        started = cohort if cohort["session_id"] else self.call(key, "POST", f"{path}/start")
        return str(started["session_id"])

    def speak(self, keys: list[str], path: str, said: Any) -> None:
        """Every participant says the text. Several texts are said in turn, and again until each has spoken."""
        texts = said if isinstance(said, list) else [said]
        for at in range(max(len(keys), len(texts)) if any(texts) else 0):
            self.call(keys[at % len(keys)], "POST", path, {"content": texts[at % len(texts)]})
