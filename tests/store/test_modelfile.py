"""Model files appear whole or not at all, the same bytes for the same model, and others can read them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from engine.data.errors import InputError
from engine.store import modelfile

PARTS = {"weights": np.arange(5.0), "names": {"a": [1, "é"]}, "blob": b"\x00\x01"}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        modelfile.write(tmp_path / name, {"task": "toy"}, PARTS)
    header, parts = modelfile.read(tmp_path / "one.zip")
    assert header["task"] == "toy" and parts["names"] == PARTS["names"] and bytes(parts["blob"]) == PARTS["blob"]
    np.testing.assert_array_equal(parts["weights"], PARTS["weights"])
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_fault_while_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "m.zip"
    modelfile.write(path, {"task": "toy"}, PARTS)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        modelfile.write(path, {"task": "toy"}, {"names": {"a": object()}})
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_the_mode_of_the_file_is_the_users(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        modelfile.write(tmp_path / "m.zip", {}, PARTS)
    finally:
        os.umask(mask)
    assert (tmp_path / "m.zip").stat().st_mode & 0o777 == 0o644


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    for path, words in ((tmp_path, "directory"), (tmp_path / "none.zip", "no such"), (tmp_path / "text.zip", "not a")):
        with pytest.raises(InputError, match=words):
            modelfile.read(path)
