"""Every command that the documentation or a command's own help shows can be typed as it stands."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli.main import parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"^\s*(?:\$ )?(?:python -m engine|espalier)(?= )(.*)$", re.MULTILINE)


def shown(text: str) -> Iterator[str]:
    """Commands at the beginning of a line, with the lines that "\\" goes on to, up to a remark or a pipe."""
    for match in COMMAND.finditer(text.replace("\\\n", " ")):
        words = shlex.split(match[1], comments=True)
        stop = next((i for i, word in enumerate(words) if word in ("|", ">", "&&", ";")), len(words))
        if "..." not in words and not words[0].isupper():
            yield shlex.join(words[:stop])


def helps(top: argparse.ArgumentParser) -> Iterator[str]:
    yield top.epilog or ""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from helps(one)


IN_PAGES = sorted({command for page in PAGES for command in shown(page.read_text(encoding="utf-8"))})
IN_HELPS = sorted({command for text in helps(parser()) for command in shown(text)})


def test_there_are_commands_to_check() -> None:
    assert len(IN_PAGES) > 40 and len(IN_HELPS) > 20


@pytest.mark.parametrize("command", sorted({*IN_PAGES, *IN_HELPS}))
def test_a_command_that_is_shown_can_be_typed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.strip("[]") for word in shlex.split(command)]
    try:
        parser().parse_args(words)
    except SystemExit as error:
        assert error.code == 0, capsys.readouterr().err
