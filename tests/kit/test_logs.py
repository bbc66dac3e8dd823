"""Log records as lines."""

import json
import logging
import re
import sys

import pytest

from viva.kit.logs import FORMATTERS, LogForm

SECRETS = re.compile("secret-[0-9]+")


def record_of(message: str, *, fails: bool = False) -> logging.LogRecord:
    exc_info = None
    if fails:
        try:
            raise ValueError("It broke at secret-7.")
        except ValueError:
            exc_info = sys.exc_info()
    return logging.LogRecord("viva", logging.ERROR, __file__, 1, message, (), exc_info)


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_masked_in_messages_and_in_tracebacks(form: LogForm):
    line = FORMATTERS[form](SECRETS).format(record_of("Refused secret-12.", fails=True))

    assert "Refused ***." in line
    assert "It broke at ***." in line
    assert "secret-" not in line.replace('"It broke at secret-7."', "")  # the line of code, which the traceback quotes


def test_json_is_one_line_whatever_the_message_holds():
    line = FORMATTERS["json"](SECRETS).format(record_of('two\nlines, a "quote" and \udc80', fails=True))

    found = json.loads(line)
    assert "\n" not in line
    assert found["message"] == 'two\nlines, a "quote" and ?'
    assert (found["level"], found["logger"]) == ("error", "viva")
    assert found["exception"].endswith("ValueError: It broke at ***.")
