"""The record of a result: one file with a transcript of any length, which verifies without the hub."""

from typing import Any

import msgspec

from tests import make
from viva.checking.files import verify_document
from viva.exams.records import ResultRecord, open_record
from viva.kit.db import Connection
from viva.sessions import channel

MESSAGES = 450  # more than two pages


def write(db: Connection, record: ResultRecord) -> dict[str, Any]:
    encoder = record.encoder()
    pieces = [encoder.begin()]
    while not record.reader.is_done:
        pieces.append(encoder.add(record.reader.next(db)))
    document: dict[str, Any] = msgspec.json.decode(b"".join([*pieces, encoder.end()]))
    return document


def test_a_long_transcript_is_one_file(db: Connection):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, claim = make.claim(db, ada, paul)
    for number in range(MESSAGES):
        channel.send(db, "good-manners", claim.session.id, (ada, paul)[number % 2].id, f"Please {number}.", 100)
    result = make.decide(db, started, paul)

    record = open_record(db, make.HALL, "good-manners", result.id, None)
    document = write(db, record)

    assert record.name == f"{result.id}.json"
    assert [message["sequence"] for message in document["messages"]] == list(range(1, MESSAGES + 1))
    lines = list(verify_document(document))
    assert [line.sentence for line in lines if line.level == "wrong"] == []
    assert f"All {MESSAGES} messages are as they were sent, in their order." in [line.sentence for line in lines]


def test_a_session_without_a_word_has_an_empty_list(db: Connection):
    make.evaluation(db)
    paul = make.agent(db, "paul")
    result = make.decide(db, make.claim(db, make.agent(db, "ada"), paul)[0], paul)

    document = write(db, open_record(db, make.HALL, "good-manners", result.id, None))

    assert document["messages"] == []
    assert all(line.level != "wrong" for line in verify_document(document))
