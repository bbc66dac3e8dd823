"""The text of a SIP for everybody, without the sections for proctors and markers; and for them, with their guidance."""

import re
from collections.abc import Collection

from viva.evaluations.model import Evaluation

# Sections of every type that are for those who examine and mark.
MARKER_SECTIONS = ("For proctors", "For markers", "Rubric", "Exemplars", "Answer sheet", "Answer key", "Answers")
# Sections with the exact prompts of an exam, or with answers that pass.
SECTIONS_BY_TYPE = {
    "proctored": ("Procedure", "Pass and fail", "Criteria"),
    "agent_certification": ("Pass and fail", "Prompts", "Probes"),
}
NOTE_BY_TYPE = {
    "proctored": "*This section is for proctors. Whoever claims a candidate gets it.*",
}
OTHER_NOTE = "*This section is for those who mark.*"


def public_body(type_: str, body: str) -> str:
    """The body with a note in place of each section for proctors and markers."""
    return replace_sections(body, hidden_sections(type_), NOTE_BY_TYPE.get(type_, OTHER_NOTE))


def hidden_sections(type_: str) -> re.Pattern[str]:
    """Headings of the sections that only proctors and markers of this type read."""
    return heading_pattern((*MARKER_SECTIONS, *SECTIONS_BY_TYPE.get(type_, ())))


def heading_pattern(names: Collection[str]) -> re.Pattern[str]:
    return re.compile(rf"## +(?:{'|'.join(map(re.escape, names))})\b", re.IGNORECASE)


def without_marker_sections(body: str) -> str:
    """The body without any section that some type hides, for texts that everybody reads."""
    names = (*MARKER_SECTIONS, *(name for names in SECTIONS_BY_TYPE.values() for name in names))
    return replace_sections(body, heading_pattern(names), "")


def replace_sections(body: str, hidden: re.Pattern[str], note: str) -> str:
    """The body with the note in place of the sections with these headings. Lines of a fenced block are no headings."""
    kept: list[str] = []
    inside = fenced = False
    for line in body.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if line.startswith(("# ", "## ")) and not fenced:
            inside = hidden.match(line) is not None
            kept += [line, "", note, ""] if inside and note else []
        if not inside:
            kept.append(line)
    return "\n".join(kept).strip() + "\n"


def marker_body(evaluation: Evaluation) -> str:
    """The whole body, with the guidance of each criterion that has one."""
    rows = evaluation.config.get("criteria") if evaluation.type == "proctored" else None
    given = [row for row in rows if isinstance(row, dict) and row.get("guidance")] if isinstance(rows, list) else []
    lines = [f"- **{row.get('id')}** ({row.get('points', '?')} points): {row['guidance']}" for row in given]
    guidance = ["## How each criterion is marked", "\n".join(lines)] if lines else []
    return "\n\n".join([evaluation.body.rstrip(), *guidance]) + "\n"
