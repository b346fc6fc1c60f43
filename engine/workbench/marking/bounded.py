"""Runs a regular expression in a separate process, which is killed if it takes too long.

An expression such as (a+)+$ may practically never finish, and Python cannot interrupt it. So this file is also the
program of the other process, and imports only the standard library.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SECONDS: Final = 20.0
"""Maximum time that an expression may take on a corpus."""
MOST: Final = 200_000
"""Maximum number of matches; more indicate a mistake in the expression."""
LONGEST: Final = 1000
"""Maximum number of characters of an expression."""
GROUP: Final = "mention"


def spans_of(
    pattern: str, texts: Sequence[str], *, ignore_case: bool = False, seconds: float = SECONDS
) -> list[list[tuple[int, int]]]:
    """The matches of the expression in every text, without overlaps and empty matches."""
    from engine.data.errors import InputError

    if not pattern or len(pattern) > LONGEST:
        raise InputError(f"a regular expression has 1 to {LONGEST} characters")
    asked = json.dumps({"pattern": pattern, "ignore_case": ignore_case, "texts": list(texts)})
    # -I: neither the environment nor the working directory can change what is run.
    command = [sys.executable, "-I", str(Path(__file__).resolve())]
    try:
        done = subprocess.run(command, input=asked.encode(), capture_output=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired as slow:
        raise InputError(
            f"the regular expression was stopped after {seconds:.0f} s; avoid repetitions inside repetitions"
        ) from slow
    except subprocess.CalledProcessError as failed:
        raise InputError("the regular expression could not be tried: it needs too much memory") from failed
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise InputError(answer["error"])
    return [[(start, end) for start, end in spans] for spans in answer["spans"]]


def matches(pattern: str, texts: Sequence[str], ignore_case: bool) -> dict[str, object]:
    """The answer of the other process."""
    try:
        compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        return {"error": f"this is not a regular expression: {error}"}
    group = GROUP if GROUP in compiled.groupindex else 0
    found: list[list[tuple[int, int]]] = []
    left = MOST
    for text in texts:
        spans = [match.span(group) for match in compiled.finditer(text)]
        # A group that did not match is at -1; an empty match marks nothing.
        spans = [(start, end) for start, end in spans if 0 <= start < end]
        left -= len(spans)
        if left < 0:
            return {"error": f"the regular expression matches more than {MOST} times; make it narrower"}
        found.append(spans)
    return {"spans": found}


def _answer() -> None:
    asked = json.load(sys.stdin)
    json.dump(matches(asked["pattern"], asked["texts"], asked["ignore_case"]), sys.stdout)


if __name__ == "__main__":
    _answer()
