"""Files read in blocks have the lines, and the errors, of files read line by line."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpora.io import files
from engine.data.errors import InputError

pieces = st.sampled_from([b"a", b"bc", b"\n", b"\n", b"\r", "é".encode(), "日".encode(), b"\xff", b"\x85", b" "])


def line_by_line(content: bytes, limit: int, *, ends: bool) -> list[object]:
    """The lines of these bytes, then the line of the error if there is one."""
    found: list[object] = []
    file = io.BytesIO(content)
    for number in range(1, len(content) + 2):
        line = file.readline(limit + 1)
        if not line:
            break
        if len(line) > limit:
            return [*found, number]
        try:
            found.append((number, (line if ends else line.removesuffix(b"\n")).decode()))
        except UnicodeDecodeError:
            return [*found, number]
    return found


@given(
    parts=st.lists(pieces, min_size=1, max_size=30), block=st.integers(1, 9), limit=st.integers(2, 12), data=st.data()
)
def test_lines_of_blocks_are_those_read_one_by_one(tmp_path_factory, parts, block, limit, data):
    content = b"".join(parts)
    path = tmp_path_factory.mktemp("lines") / "x"
    path.write_bytes(gzip.compress(content) if data.draw(st.booleans()) else content)
    ends = data.draw(st.booleans())
    found: list[object] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "LINE_LIMIT", limit)
        patched.setattr(files, "_BLOCK", block)
        try:
            for item in files.lines(path, ends=ends):
                found.append(item)
        except InputError as error:
            found.append(error.line)
    assert found == line_by_line(content, limit, ends=ends)
