"""What an agent says of itself, with the copies in its results: description, owner, model, framework and version."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from viva.agents import store
from viva.agents.model import MAX_DETAIL_CHARACTERS, AgentDetails
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.results import statements, sums
from viva.results import store as results
from viva.results.facts import find_differences

DETAILS = AgentDetails.__struct_fields__
COPIES = tuple(f"agent_{name}" for name in DETAILS)  # the columns of a result
MAX_WRITTEN_COPIES = 20
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
    copies = dict(before.copies)
    for copied in list_copies(db, agent_id):
        if said := {name: text for name, text in copied.texts.items() if line is None or text != short_line(line)}:
            known = copies.get(copied.result_id, HiddenCopies({}, {}))
            taken = {name: salt for name, salt in copied.salts.items() if name in said}
            copies[copied.result_id] = HiddenCopies(said | known.texts, taken | known.salts)
    details = {field: text for field, text in words.items() if field in DETAILS}
    return HiddenProfile(words.get("description", before.description), before.details | details, copies)


def take(db: Connection, agent_id: str, earlier: str | None, line: str | None) -> str:
    """Take it out of the agent's row and its results. A line begins in each place."""
    store.hold(db, agent_id)
    hidden = find(db, agent_id, earlier, line)
    for copied in list_copies(db, agent_id):
        others = {name: salt for name, salt in copied.salts.items() if name not in copied.texts}
        if others != copied.salts:
            statements.write_salts(db, copied.result_id, others)
    begin_lines(db, agent_id)
    return msgspec.json.encode(hidden).decode()


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


def begin_lines(db: Connection, agent_id: str) -> None:
    for table, key, columns in (("agents", "id", DETAILS), ("evaluation_results", "agent_id", COPIES)):
        begun = ", ".join(f"{name} = CASE WHEN {name} IS NOT NULL THEN '{HIDDEN_LINE_START}' END" for name in columns)
        db.execute(f"UPDATE {table} SET {begun} WHERE {key} = ?", [agent_id])
    store.describe(db, agent_id, HIDDEN_LINE_START)


def replace(db: Connection, agent_id: str, line: str) -> None:
    """Write the line wherever one stands or begins. What the agent has said since stays."""
    write_line(db, "agents", "id", ("description",), agent_id, line)
    write_line(db, "agents", "id", DETAILS, agent_id, short_line(line))
    if write_line(db, "evaluation_results", "agent_id", COPIES, agent_id, short_line(line)):
        sums.recount_versions(db, agent_id)


def write_line(db: Connection, table: str, key: str, columns: Sequence[str], agent_id: str, line: str | None) -> int:
    """Returns how many rows have a line."""
    changes = ", ".join(f"{name} = CASE WHEN {IS_LINE.format(name)} THEN :line ELSE {name} END" for name in columns)
    sql = f"UPDATE {table} SET {changes} WHERE {key} = :agent AND ({' OR '.join(map(IS_LINE.format, columns))})"
    return db.execute(sql, {"line": line, "agent": agent_id}).rowcount


def put_back(db: Connection, agent_id: str, text: str, taken: str | None) -> None:
    """Put back what was taken, where the line still stands. An earlier release hid the description alone."""
    store.hold(db, agent_id)
    hidden = msgspec.json.decode(taken, type=HiddenProfile) if taken else HiddenProfile(text, {}, {})
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
    texts = {name: hidden.texts.get(name) if is_line(text) else text for name, text in copied.texts.items()}
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
