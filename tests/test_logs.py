"""What is logged is one JSON object a line, and no exception brings the text of a document into it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest

from engine import logs
from engine.service.models.pool import Pool, guarded
from engine.service.requests.limits import Limits
from engine.service.requests.replies import Reply


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    logger = logging.getLogger(logs.ROOT)
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", True)
    stream = io.StringIO()
    logs.to_stderr(stream)
    logs.to_stderr(stream)
    yield stream


def test_an_event_is_one_line_with_its_fields(written: io.StringIO) -> None:
    logs.event(logs.get("training"), "a training\nwas started", run="r1", documents=3)
    [line] = written.getvalue().splitlines()
    told = json.loads(line)
    assert told["event"] == "a training\nwas started" and told["part"] == "training" and told["level"] == "info"
    assert told["run"] == "r1" and told["documents"] == 3 and told["time"].endswith("+00:00")


def test_an_exception_is_named_without_its_message(written: io.StringIO) -> None:
    try:
        raise ValueError("Ada Lovelace lives in London")
    except ValueError:
        logs.trouble(logs.get("serve"), "a request failed", failure="1a2b", reason="x" * 5000)
    told = json.loads(written.getvalue())
    assert told["error"] == "ValueError" and told["at"] and told["level"] == "warning"
    assert "Lovelace" not in written.getvalue() and len(told["reason"]) == logs.LONGEST


def broken() -> Reply:
    raise ValueError("Ada Lovelace lives in London")


@pytest.mark.thorough
def test_a_fault_in_a_worker_process_is_logged_like_one_in_the_server(capfd: pytest.CaptureFixture[str]) -> None:
    async def answered() -> Reply:
        pool = Pool(2, Limits(seconds=600.0))
        try:
            return await pool.run(guarded, broken)
        finally:
            pool.close()

    number = json.loads(asyncio.run(answered()).content)["error"]["message"].split()[-1]
    written = capfd.readouterr().err
    [told] = [json.loads(line) for line in written.splitlines() if number in line]
    assert told["failure"] == number and told["error"] == "ValueError" and "Lovelace" not in written
