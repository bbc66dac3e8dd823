"""What is an error: whether a call failed, whether an output reports a failure, and whether somebody speaks of one."""

import re
from functools import lru_cache
from typing import Any

import msgspec

from viva.engine.calls.actions import leaves, name_words
from viva.engine.model import ToolCall

HEAD_CHARACTERS, TAIL_CHARACTERS = 2_000, 600  # where an output says how it went
MAX_ERROR_PAGE_CHARACTERS = 400  # a longer text that begins with "Error" is a text about errors
MAX_JSON_CHARACTERS = 20_000
MAX_NESTING = 3
SMALL_REPORT_KEYS = 5  # an object with more is a record that has a state, not a report on the call
NO_ERROR = frozenset(",null,none,nil,false,no,0,ok,success,no error,no errors,0 errors,n/a,[],{}".split(","))
ERROR_KEYS = ("error", "exception", "err", "error_message", "errormessage")
SUCCESS_KEYS = ("success", "ok", "succeeded", "successful", "is_success")
EXIT_KEYS = ("exit_code", "exitcode", "returncode", "return_code", "exit_status")
STATUS_KEYS = ("status", "state", "code", "status_code", "statuscode", "http_status")
FAILED_STATUSES = frozenset(("failed", "failure", "error", "fail", "errored"))
HTTP_FAILURE = re.compile(r"[45]\d\d\b")
# All patterns read small letters. A report begins with the error; a text about errors goes on with other words.
BEGINS_WITH_FAILURE = re.compile(
    r"[\s\"'\[{(<*`]{0,20}(?:"
    r"(?:[\w.]{0,60}(?:error|exception|fehler)|fatal|failure|failed|fehlgeschlagen)"
    r"(?=\s{0,3}(?:[:(\]>!.–-]|$)|\s(?:code|status|executing|occurred|while|calling|during|when|\d))"
    r"|(?:failed|unable) to\b|could not\b|couldn't\b|cannot\b|can't\b|permission denied|access denied|unauthori[sz]ed\b"
    r"|forbidden\b|invalid\b|bad request|not found\b|no such \w|unknown (?:tool|function|command|action|parameter)"
    r"|command not found|(?:[a-z]{1,20} ){0,3}timed? ?out\b"
    r"|(?:http\S{0,8}|status(?: code)?)[\s:]{1,3}[45]\d\d\b"
    r"|[45]\d\d[:,]? (?:not|bad|internal|unauthor|forbidden|error|too many|service|gateway|client|server|conflict|gone))"
)
EXIT_REPORT = re.compile(
    r"exit(?:ed)? ?(?:with )?(?:code|status)[:=]? ?[1-9]|exitcode[:=]? ?[1-9]|non-?zero exit|execution (?:failed|timed out)"
)
CRASH = re.compile(
    r"traceback \(most recent call last\)|: command not found$|: no such file or directory$|: permission denied$"
    r"|^[a-z.]{0,60}(?:error|exception):",
    re.M,
)
# Tools and commands whose output is somebody's text: an error in it is what was asked for.
CONTENT_TOOLS = frozenset("read cat open view show tail log logs grep search browse page document docs wiki".split())
CONTENT_COMMAND = re.compile(r"\s*(?:cat|less|more|head|tail|grep|sed -n|journalctl|type|open|find|rg)\b")
# Words of somebody who has seen that something went wrong: English, German, Spanish.
MENTION = re.compile(
    r"\b\w{0,12}(?:error|fail|unable|could ?n[o'’]t|cannot|can['’]t|did ?n[o'’]t|does ?n[o'’]t|was ?n[o'’]t|no longer|no such"
    r"|not (?:found|exist|avail|possib|allow|able|permit|work|go|succe|complet)|sorry|apolog|unfortunate|issue|problem|trouble|invalid"
    r"|retry|again|instead|denied|refus|reject|declin|exceed|insufficient|not enough|time[ds]? ?out|unavailab|unsuccess|missing"
    r"|incorrect|wrong|leider|fehl|nicht|abgelehnt|verweiger|lo siento|lamentable|no (?:se )?(?:pud|pued|encontr)|fall[oóa]|rechaz)\w{0,20}"
)


def call_failed(call: ToolCall) -> bool:
    if call.error and call.error.strip().lower() not in NO_ERROR:
        return True
    # What is no failure at all is none in a text that somebody asked to read, either.
    return result_failed(call.result) and (not returns_content(call) or result_failed(call.result, True))


def result_failed(value: Any, is_content: bool = False, depth: int = 0) -> bool:
    """Whether a result is an error. `is_content` says that the result is a text somebody asked to read."""
    if isinstance(value, str):
        decoded = parse_object(value)
        return object_failed(decoded, depth) if decoded is not None else text_reports_failure(value, is_content)
    if isinstance(value, list) and len(value) == 1 and depth < MAX_NESTING:
        return result_failed(value[0], is_content, depth + 1)
    return isinstance(value, dict) and object_failed(value, depth)


def returns_content(call: ToolCall) -> bool:
    if not CONTENT_TOOLS.isdisjoint(name_words(call.tool_name)):
        return True
    return any(CONTENT_COMMAND.match(value) for value in leaves(call.parameters)[:3])


def parse_object(text: str) -> dict[str, Any] | None:
    if text.lstrip()[:1] != "{" or len(text) > MAX_JSON_CHARACTERS:
        return None
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def object_failed(value: dict[str, Any], depth: int = 0) -> bool:
    """Whether an object reports a failure. `{"error": null}`, `""`, `false` and `[]` are none."""
    named = {key.lower(): part for key, part in value.items() if isinstance(key, str)}
    if any(says_error(named.get(key)) for key in ERROR_KEYS) or any(named.get(key) is False for key in SUCCESS_KEYS):
        return True
    if named.get("is_error") is True or named.get("iserror") is True:
        return True
    if any(is_whole(named.get(key)) and named[key] != 0 for key in EXIT_KEYS):
        return True
    if len(named) <= SMALL_REPORT_KEYS and (
        says_error(named.get("errors")) or any(is_failed_status(named.get(key)) for key in STATUS_KEYS)
    ):
        return True
    return len(value) == 1 and depth < MAX_NESTING and result_failed(next(iter(value.values())), False, depth + 1)


def says_error(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in NO_ERROR
    if is_whole(value):
        return is_failed_status(value)
    return bool(value) and not isinstance(value, float)


def is_failed_status(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in FAILED_STATUSES or HTTP_FAILURE.match(value) is not None
    return is_whole(value) and 400 <= value < 600


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def text_reports_failure(text: str, is_content: bool = False) -> bool:
    """Whether an output reports that something failed, instead of merely talking about errors."""
    head = text[:HEAD_CHARACTERS].lower()
    if BEGINS_WITH_FAILURE.match(head) and (not is_content or len(text) <= MAX_ERROR_PAGE_CHARACTERS):
        return True
    ends = (head, text[-TAIL_CHARACTERS:].lower()) if len(text) > TAIL_CHARACTERS else (head,)
    return not is_content and any(EXIT_REPORT.search(end) or CRASH.search(end) for end in ends)


@lru_cache(maxsize=1_024)
def failure_words(text: str) -> frozenset[str]:
    return frozenset(MENTION.findall(text.lower()))


def speaks_of_failure(text: str) -> bool:
    return bool(failure_words(text))
