"""Model files appear whole or not at all, the same bytes for the same model, and others can read them."""

from __future__ import annotations

import os
import zipfile
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


def _zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def _npy(header: str, content: bytes = b"") -> bytes:
    padded = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + content


HEAD = b'{"format": 1, "task": "toy"}'


@pytest.mark.parametrize(
    "members",
    [
        {"model.json": b"[1]"},
        {"model.json": b"null"},
        {"model.json": b"[" * 100_000},
        {"model.json": HEAD, "a.json": b"[" * 100_000},
        {"model.json": HEAD, "a.json": b"\xff"},
        {"model.json": HEAD, "a.npy": b"\x93NUMPY"},
        {"model.json": HEAD, "a.npy": _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }")},
        {"model.json": HEAD, "a.npy": _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }")},
        {"model.json": HEAD, "a.npy": _npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"8" * 8)},
        {"model.json": HEAD, "a.npy": _npy("{'descr': '<f8', 'fortran_order': False, 'shape': 'x', }")},
        {"model.json": HEAD, "a.json": b"1", "a.npy": _npy("{}")},
        {"other.json": HEAD},
    ],
)
def test_hand_made_zips_are_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(InputError):
        modelfile.read(_zip(tmp_path / "m.zip", members))


def test_a_flipped_bit_is_an_input_error_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m.zip"
    modelfile.write(path, {"task": "toy"}, PARTS)
    sound = path.read_bytes()
    refused = 0
    for place in range(0, len(sound), 3):
        damaged = bytearray(sound)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        try:
            modelfile.read(path)
        except InputError:
            refused += 1
    assert refused > len(sound) / 6


def test_an_encrypted_or_oddly_compressed_member_is_refused(tmp_path: Path) -> None:
    path = _zip(tmp_path / "m.zip", {"model.json": HEAD})
    sound = path.read_bytes()
    central = sound.index(b"PK\x01\x02")
    for offset, value in ((8, 1), (10, 97)):
        damaged = bytearray(sound)
        damaged[central + offset] = damaged[offset - 2] = value
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            modelfile.read(path)


def test_a_model_that_is_larger_unpacked_than_allowed_is_not_unpacked(tmp_path: Path, monkeypatch) -> None:
    path = _zip(tmp_path / "m.zip", {"model.json": HEAD, "a.bin": bytes(2_000_000)})
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match="more than the"):
        modelfile.read(path, most_bytes=1_000_000)


def test_a_model_of_a_newer_version_is_refused_by_that_name(tmp_path: Path) -> None:
    path = _zip(tmp_path / "m.zip", {"model.json": b'{"format": 2, "task": "toy"}'})
    with pytest.raises(InputError, match="newer version"):
        modelfile.read(path)
    path = _zip(tmp_path / "m.zip", {"model.json": b'{"format": "x"}'})
    with pytest.raises(InputError, match="format 'x'"):
        modelfile.read(path)


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.float32(2)])
def test_arrays_of_any_shape_and_order_come_back_writable(tmp_path: Path, array: np.ndarray) -> None:
    modelfile.write(tmp_path / "m.zip", {}, {"a": np.asarray(array)})
    back = modelfile.read(tmp_path / "m.zip")[1]["a"]
    np.testing.assert_array_equal(back, array)
    assert back.dtype == np.asarray(array).dtype and back.shape == np.shape(array) and back.flags.writeable
