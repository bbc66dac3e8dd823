"""Log records and request lines, as text or as JSON, with secrets masked."""

import asyncio
import logging
import re
import sys
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

LogForm = Literal["text", "json"]
FLUSH_SECONDS = 0.2
MASK = "***"
TEXT_FORMAT = "%(asctime)s %(levelname)s %(message)s"


class LogSettings(NamedTuple):
    """`secrets` matches what must not appear in a line."""

    form: LogForm
    level: str
    secrets: re.Pattern[str]


class RequestLine(NamedTuple):
    """The logged fields of one request; `account` is "-" for an unknown caller."""

    method: str
    path: str
    status: int
    milliseconds: float
    account: str
    client: str
    request_id: str


class MaskedFormatter(logging.Formatter):
    """A record as a line of text; its traceback follows."""

    def __init__(self, secrets: re.Pattern[str]) -> None:
        super().__init__(TEXT_FORMAT)
        self.secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return self.secrets.sub(MASK, super().format(record))


class JsonFormatter(MaskedFormatter):
    """A record as one JSON object in one line; its traceback is the field `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": format_time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        # A message may contain lone surrogates, but JSON may not.
        safe = {name: self.mask(value) for name, value in fields.items()}
        return msgspec.json.encode(safe).decode()

    def mask(self, text: str) -> str:
        return self.secrets.sub(MASK, text).encode(errors="replace").decode()


FORMATTERS: dict[LogForm, type[MaskedFormatter]] = {"text": MaskedFormatter, "json": JsonFormatter}


def logging_config(settings: LogSettings) -> dict[str, Any]:
    """The configuration for `logging.config.dictConfig`, in this process and in each server process."""
    # The "info" lines of the server and the migrations matter only for debugging.
    quiet = {"level": settings.level.upper() if settings.level in ("debug", "error") else "WARNING"}
    # psycopg warns about every broken connection; the hub logs an outage once.
    outages = {"level": "ERROR"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": FORMATTERS[settings.form], "secrets": settings.secrets}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines", "stream": "ext://sys.stderr"}},
        "root": {"level": settings.level.upper(), "handlers": ["stderr"]},
        "loggers": {"alembic": quiet, "uvicorn.error": quiet, "psycopg": outages},
    }


class RequestLog:
    """Writes request lines to standard error in groups, since one write can cost more than a request."""

    def __init__(self, settings: LogSettings) -> None:
        self.secrets = settings.secrets
        self.is_on = settings.level in ("debug", "info")
        self.render = render_json if settings.form == "json" else render_text
        self.lines: list[str] = []

    def add(self, line: RequestLine) -> None:
        if not self.is_on:
            return
        if not self.lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self.lines.append(self.render(line, mask_path(line.path, self.secrets)))

    def flush(self) -> None:
        sys.stderr.write("".join(self.lines))
        sys.stderr.flush()
        self.lines.clear()


@lru_cache(1024)  # clients ask for the same few paths again and again
def mask_path(path: str, secrets: re.Pattern[str]) -> str:
    return secrets.sub(MASK, path)


def render_text(line: RequestLine, path: str) -> str:
    method, _, status, milliseconds, account, client, request_id = line
    moment = format_local_second(int(time.time()))
    return f"{moment} INFO {method} {path!a} {status} {milliseconds:.1f} ms {account} {client} {request_id}\n"


def render_json(line: RequestLine, path: str) -> str:
    method, _, status, milliseconds, account, client, request_id = line
    fields = {
        "time": format_time(time.time()),
        "level": "info",
        "logger": "viva.requests",
        "message": "request",
        "method": method,
        "path": path.encode(errors="replace").decode(),
        "status": status,
        "milliseconds": round(milliseconds, 1),
        "account": account,
        "client": client,
        "request_id": request_id,
    }
    return msgspec.json.encode(fields).decode() + "\n"


@lru_cache(2)  # most lines fall in the same second as the one before
def format_local_second(moment: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


@lru_cache(2)
def format_second(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def format_time(moment: float) -> str:
    """RFC 3339 in UTC."""
    second = int(moment)
    return f"{format_second(second)}.{int((moment - second) * 1000):03}Z"
