"""Logs for server operators: one JSON object per line on standard error.

They record what happened, to which run, corpus or system, and how long it took, but never the text of a document. An
exception is logged with its type and where it was raised, but without its message, which may quote a text.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TextIO

ROOT: Final = "espalier"
LONGEST: Final = 300
"""Maximum number of characters of a field; longer values are cut."""


def to_stderr(stream: TextIO | None = None, *, libraries: Sequence[str] = ()) -> None:
    """Start writing our logs and the warnings of these libraries; a second call has no effect."""
    for name in (ROOT, *libraries):
        logger = logging.getLogger(name)
        if not any(isinstance(handler.formatter, Lines) for handler in logger.handlers):
            handler = logging.StreamHandler(stream or sys.stderr)
            handler.setFormatter(Lines())
            logger.addHandler(handler)
            logger.setLevel(logging.INFO if name == ROOT else logging.WARNING)
            logger.propagate = False


def get(name: str) -> logging.Logger:
    """The logger of a part of the product, such as "serve" or "training"."""
    return logging.getLogger(f"{ROOT}.{name}")


def event(logger: logging.Logger, what: str, **fields: str | int | float) -> None:
    """Log something that went as expected."""
    logger.info(what, extra={"fields": fields})


def trouble(logger: logging.Logger, what: str, **fields: str | int | float) -> None:
    """Log something that needs attention, together with the exception being handled, if any."""
    failed = sys.exc_info()[0] is not None
    logger.warning(what, exc_info=failed, extra={"fields": fields})


class Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix(f"{ROOT}."),
            "event": record.getMessage(),
        }
        fields: dict[str, object] = getattr(record, "fields", {})
        for name, value in fields.items():
            line[name] = value[:LONGEST] if isinstance(value, str) else value
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            line["error"] = kind.__name__
            line["at"] = [f"{frame.name}, line {frame.lineno}" for frame in traceback.extract_tb(trace)[-8:]]
        return json.dumps(line, ensure_ascii=False)
