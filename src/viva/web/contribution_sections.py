"""The Markdown sections of a proposal, as the fields of the form show them."""

import re

# Sections of a proctored exam that have a field of their own. A grade depends on them.
SECTION_HEADINGS = {"procedure": "Procedure", "pass_and_fail": "Pass and fail", "scoring": "Scoring"}


def split_body(body: str, with_sections: bool) -> dict[str, str]:
    """The text of each field: named sections, and `other` for everything else."""
    names = {heading: name for name, heading in SECTION_HEADINGS.items()} if with_sections else {}
    parts: dict[str, list[str]] = {"other": []}
    current, fenced = "other", False
    for line in body.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = re.match(r"##? +(.*)", line) if not fenced else None
        if heading:
            name = names.get(heading[1].strip(), "other") if line.startswith("## ") else "other"
            current = name if name == "other" or name not in parts else "other"
            if current != "other":
                parts[current] = []
                continue
        parts[current].append(line)
    return {name: "\n".join(lines).strip() for name, lines in parts.items()}


def join_body(parts: dict[str, str]) -> str:
    """The Markdown of the fields. Named sections come first, in the order of an exam."""
    named = [
        f"## {heading}\n\n{parts[name].strip()}"
        for name, heading in SECTION_HEADINGS.items()
        if parts.get(name, "").strip()
    ]
    return "\n\n".join([*named, *filter(None, [parts.get("other", "").strip()])])
