"""What other programs put around recorded runs: the pages of an API, and the rows of a table with a message in each."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake.plain import decode_value, objects

PAGE_KEYS = "data items results messages observations runs events spans traces rows".split()
ROW_KEYS = ("message_data", "message")  # columns: of the Agents SDK's sessions, of LangChain's and of Strands'


def contents(document: object) -> Iterator[list[Any]]:
    """What an envelope may hold. The caller knows which of it has a form."""
    if isinstance(document, dict):
        lists = (decode_value(document.get(key)) for key in PAGE_KEYS)
        yield from (found for found in lists if isinstance(found, list) and found)
    else:
        yield from find_rows(document)


def find_rows(table: object) -> Iterator[list[Any]]:
    """The messages in the rows of a table, each an object or its JSON."""
    known = objects(table)
    for key in ROW_KEYS:
        found = [decode_value(row.get(key)) for row in known]
        if found and all(isinstance(part, dict) for part in found):
            yield found
