"""What an agent says of itself, with the copies in its results: description, owner, model, framework and version.

An agent may have thousands of results, so their copies are hidden some at a time: the first by the request, the others by jobs."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from viva.agents import store
from viva.agents.model import MAX_DETAIL_CHARACTERS, AgentDetails
from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.kit.rows import many
from viva.maintaining import hidden_texts
from viva.maintaining.hidden_texts import HiddenText
from viva.results import statements, subtracting, sums
from viva.results import store as results
from viva.results.facts import find_differences
from viva.results.model import Result

DETAILS = AgentDetails.__struct_fields__
COPIES = tuple(f"agent_{name}" for name in DETAILS)  # the columns of a result
MAX_WRITTEN_COPIES = 20
HIDE_WORK = "hide_profile"
COPIES_PER_STEP = (
    50  # results; on SQLite a step of an agent with 10,000 holds the others up for about a tenth of a second
)
# The best attempt comes last: then the standings of a version need not be counted again for each step.
FROM_WORST = """
    CASE WHEN max_score > 0 THEN coalesce(score / max_score, -1) ELSE -1 END, passed, points_earned, completed_at DESC, id
"""
IS_LINE = f"substr({{}}, 1, {len(HIDDEN_LINE_START)}) = '{HIDDEN_LINE_START}'"


class HiddenCopies(Struct, frozen=True):
    """What a result said of its agent, by column, and the salts of the signed hashes."""

    texts: dict[str, str]
    salts: dict[str, str]


class CopiedDetails(NamedTuple):
    """What a result says of its agent, by column, and the salts of all its hashes."""

    result_id: str
    salts: dict[str, str]
    texts: dict[str, str]


class HiddenProfile(Struct, frozen=True):
    """What was hidden: the description, the details by field, and the copies by the id of their result."""

    description: str
    details: dict[str, str]
    copies: dict[str, HiddenCopies]


def short_line(line: str) -> str:
    """The line, as long as one of the details may be."""
    return line if len(line) <= MAX_DETAIL_CHARACTERS else line[: MAX_DETAIL_CHARACTERS - 1].rstrip() + "…"


def read_words(db: Connection, agent_id: str, line: str | None = None) -> dict[str, str]:
    """What the agent says by field, without the line of what is hidden already."""
    lines = () if line is None else (line, short_line(line))
    (description,) = db.execute("SELECT description FROM agents WHERE id = ?", [agent_id]).fetchone()
    said = {"description": description} | msgspec.structs.asdict(store.get_details(db, agent_id))
    return {field: text for field, text in said.items() if text and text not in lines}


def write_words(hidden: HiddenProfile) -> str:
    """The words as maintainers read them: the description, then a line for each detail, and what only results say."""
    details = [f"{field.capitalize()}: {text}" for field, text in hidden.details.items()]
    copied = (text for copies in hidden.copies.values() for text in copies.texts.values())
    others = [text for text in dict.fromkeys(copied) if text not in hidden.details.values()][:MAX_WRITTEN_COPIES]
    return "\n".join([*filter(None, [hidden.description]), *details, *(f"In results: {text}" for text in others)])


def has_words(db: Connection, agent_id: str, line: str | None) -> bool:
    """Whether the agent or a result of it says more than the line."""
    if read_words(db, agent_id, line):
        return True
    said = " OR ".join(f"({column} IS NOT NULL AND {column} <> :line)" for column in COPIES)
    sql = f"SELECT 1 FROM evaluation_results WHERE agent_id = :agent AND ({said}) LIMIT 1"
    values = {"agent": agent_id, "line": short_line(line or "")}
    return db.execute(sql, values).fetchone() is not None


def find(db: Connection, agent_id: str, earlier: str | None, line: str | None) -> HiddenProfile:
    """What the agent says, in its row and in its results, with the salts.

    What was taken `earlier`, when `line` was written, is among it: the agent has said something else since."""
    words = read_words(db, agent_id, line)
    before = msgspec.json.decode(earlier, type=HiddenProfile) if earlier else HiddenProfile("", {}, {})
    details = {field: text for field, text in words.items() if field in DETAILS}
    return HiddenProfile(words.get("description", before.description), before.details | details, before.copies)


def read_taken(text: str, taken: str | None) -> HiddenProfile:
    """What was taken. An earlier release hid the description alone."""
    return msgspec.json.decode(taken, type=HiddenProfile) if taken else HiddenProfile(text, {}, {})


def take(db: Connection, agent_id: str, earlier: str | None, line: str | None) -> str:
    """Take it out of the agent's row, where a line begins in each place. Its results follow."""
    store.hold(db, agent_id)
    hidden = find(db, agent_id, earlier, line)
    begun = ", ".join(f"{name} = CASE WHEN {name} IS NOT NULL THEN '{HIDDEN_LINE_START}' END" for name in DETAILS)
    db.execute(f"UPDATE agents SET {begun} WHERE id = ?", [agent_id])
    store.describe(db, agent_id, HIDDEN_LINE_START)
    return msgspec.json.encode(hidden).decode()


def work() -> Work:
    """The background work "hide_profile"."""
    return Work(lambda db, data: data["agent_id"], lambda agent_id: None, keep)


def keep(db: Connection, agent_id: str, thought: None, is_last: bool) -> str | None:
    hide_next(db, agent_id)
    return None


def hide_next(db: Connection, agent_id: str) -> None:
    """Do one step. If there may be more, a job goes on."""
    if hide_copies(db, agent_id, COPIES_PER_STEP) == COPIES_PER_STEP:
        queue.put(db, HIDE_WORK, {"agent_id": agent_id})


def hide_copies(db: Connection, agent_id: str, limit: int) -> int:
    """Write the line into so many results, and keep what they said. Returns how many there were."""
    hidden = hidden_texts.hold_any(db, "description", agent_id)
    if hidden is None:  # shown again, or the account is deleted
        return 0
    line = short_line(hidden.line)
    found = list_to_hide(db, agent_id, line, hidden.hidden_at, limit)
    sums.lock_tallies(db, {before.evaluation_id for before in found})
    copies: dict[str, HiddenCopies] = {}
    for before in found:
        salts = statements.read_salts(db, before.id)
        copied = {name for name in COPIES if is_to_hide(before, name, salts, line, hidden.hidden_at)}
        # A line without a salt stands for something else that was hidden before.
        said = {name: getattr(before, name) for name in copied if name in salts or not is_line(getattr(before, name))}
        copies[before.id] = HiddenCopies(said, {name: salt for name, salt in salts.items() if name in said})
        changes = dict.fromkeys(copied, line)
        left = {name: salt for name, salt in salts.items() if name not in said}
        values = {**changes, "salts": msgspec.json.encode(left).decode(), "id": before.id}
        db.execute(
            f"UPDATE evaluation_results SET {', '.join(f'{name} = :{name}' for name in (*changes, 'salts'))} WHERE id = :id",
            values,
        )
        subtracting.move_version(db, before, msgspec.structs.replace(before, **changes))
    if found and not hidden.erased_at:
        keep_copies(db, hidden, copies)
    return len(found)


def keep_copies(db: Connection, hidden: HiddenText, copies: dict[str, HiddenCopies]) -> None:
    """Add what results said to what is hidden of the agent. What was kept of a result before stays."""
    before = read_taken(hidden.original, hidden_texts.read_salts(db, "description", hidden.subject_id))
    for result_id, copied in copies.items():
        known = before.copies.get(result_id, HiddenCopies({}, {}))
        before.copies[result_id] = HiddenCopies(copied.texts | known.texts, copied.salts | known.salts)
    hidden_texts.rewrite(
        db, "description", hidden.subject_id, write_words(before), msgspec.json.encode(before).decode()
    )


def list_to_hide(db: Connection, agent_id: str, line: str, hidden_at: datetime, limit: int) -> list[Result]:
    """Results from before it was hidden that say something else than the line, and later ones with another line."""
    another = " OR ".join(
        f"({name} IS NOT NULL AND {name} <> :line AND (completed_at <= :hidden_at OR ({IS_LINE.format(name)} AND "
        f"replace(CAST(salts AS TEXT), '\"{name}\"', '') = CAST(salts AS TEXT))))"
        for name in COPIES
    )
    rows = db.execute(
        f"""
        SELECT {", ".join(Result.__struct_fields__)} FROM evaluation_results WHERE agent_id = :agent AND ({another})
        ORDER BY {FROM_WORST} LIMIT :limit {db.lock_rows}
        """,
        {"agent": agent_id, "line": line, "hidden_at": hidden_at, "limit": limit},
    )
    return many(Result, rows)


def is_to_hide(result: Result, name: str, salts: dict[str, str], line: str, hidden_at: datetime) -> bool:
    """The same for one of its texts."""
    text = getattr(result, name)
    if text in (None, line):
        return False
    return result.completed_at <= hidden_at or (is_line(text) and name not in salts)


def list_copies(db: Connection, agent_id: str) -> list[CopiedDetails]:
    """The results that say something of the agent. They stay locked until commit."""
    said = " OR ".join(f"{column} IS NOT NULL" for column in COPIES)
    rows = db.execute(
        f"""
        SELECT id, salts, {", ".join(COPIES)} FROM evaluation_results WHERE agent_id = ? AND ({said})
        ORDER BY id {db.lock_rows}
        """,
        [agent_id],
    ).fetchall()
    return [
        CopiedDetails(
            id_, msgspec.json.decode(salts), {name: text for name, text in zip(COPIES, texts, strict=True) if text}
        )
        for id_, salts, *texts in rows
    ]


def replace(db: Connection, agent_id: str, line: str) -> None:
    """Write the line wherever one stands or begins, into the first results as well. What the agent has said since stays."""
    write_line(db, "agents", "id", ("description",), agent_id, line)
    write_line(db, "agents", "id", DETAILS, agent_id, short_line(line))
    hide_next(db, agent_id)


def write_line(db: Connection, table: str, key: str, columns: Sequence[str], agent_id: str, line: str | None) -> int:
    """Returns how many rows have a line."""
    changes = ", ".join(f"{name} = CASE WHEN {IS_LINE.format(name)} THEN :line ELSE {name} END" for name in columns)
    sql = f"UPDATE {table} SET {changes} WHERE {key} = :agent AND ({' OR '.join(map(IS_LINE.format, columns))})"
    return db.execute(sql, {"line": line, "agent": agent_id}).rowcount


def put_back(db: Connection, agent_id: str, text: str, taken: str | None) -> None:
    """Put back what was taken, where the line still stands."""
    store.hold(db, agent_id)
    hidden = read_taken(text, taken)
    said = read_words(db, agent_id)
    if is_line(said.get("description")):
        store.describe(db, agent_id, hidden.description)
    details = {field: hidden.details.get(field) if is_line(said.get(field)) else said.get(field) for field in DETAILS}
    store.change_details(db, agent_id, AgentDetails(**details))
    shown = list_copies(db, agent_id)
    for copied in shown:
        put_back_copies(db, copied, hidden.copies.get(copied.result_id))
    if shown:
        sums.recount_versions(db, agent_id)


def put_back_copies(db: Connection, copied: CopiedDetails, hidden: HiddenCopies | None) -> None:
    """What was signed meanwhile had no text, so it is signed again. An attempt while it was hidden has no text."""
    hidden = hidden or HiddenCopies({}, {})
    texts = {
        name: hidden.texts.get(name) if is_line(text) and name not in copied.salts else text
        for name, text in copied.texts.items()
    }
    salts = copied.salts | hidden.salts
    values = texts | {"salts": msgspec.json.encode(salts).decode()}
    columns = ", ".join(f"{name} = :{name}" for name in values)
    db.execute(f"UPDATE evaluation_results SET {columns} WHERE id = :id", values | {"id": copied.result_id})
    signed = statements.list_statements(db, copied.result_id, 1)
    result = results.get(db, copied.result_id)
    if signed and find_differences(signed[0].facts, result, salts):
        statements.state(db, result, "text_shown")


def is_line(text: str | None) -> bool:
    return text is not None and text.startswith(HIDDEN_LINE_START)


def forget_lines(db: Connection, agent_id: str) -> None:
    """Empty the lines in results of an agent whose account is deleted. Nobody can show the words again."""
    if write_line(db, "evaluation_results", "agent_id", COPIES, agent_id, None):
        sums.recount_versions(db, agent_id)
