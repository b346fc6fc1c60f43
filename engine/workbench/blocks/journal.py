"""A journal: finished blocks in a folder, so that interrupted work resumes after the last of them.

A journal belongs to one piece of work: the command with its options, and the contents of all files that it reads. A
journal of other work is refused. When the work is done, the folder is deleted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from engine.corpora.io import files
from engine.data.errors import InputError
from engine.store import modelfile
from engine.workbench.blocks.portions import Portion

_WORK: Final = "work.json"
_BLOCKS: Final = 2
"""Changes whenever corpora are cut into other blocks, or a saved block holds something else."""


def fingerprint(options: Any, paths: Iterable[Path]) -> str:
    """A digest that identifies a piece of work: its options, and the contents of the files and folders that it
    reads."""
    digest = hashlib.blake2b(json.dumps(options, sort_keys=True, default=str).encode(), digest_size=16)
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(f"\n{file}\n".encode())
                with file.open("rb") as stream:
                    while content := stream.read(1 << 20):
                        digest.update(content)
    return digest.hexdigest()


class Journal:
    """The folder of one piece of work."""

    def __init__(self, folder: Path, work: str) -> None:
        self.folder = folder
        if folder.exists() and not folder.is_dir():
            raise InputError("this is a file; --resume takes a folder", file=folder)
        known, wanted = folder / _WORK, {"work": work, "blocks": _BLOCKS}
        if known.exists():
            if json.loads(known.read_text(encoding="utf-8")) != wanted:
                raise InputError(
                    "these blocks are of other work (another command or version, or files that have changed"
                    " since): name another folder, or delete this one",
                    file=folder,
                )
        elif folder.exists() and any(folder.iterdir()):
            raise InputError("this folder holds something else; --resume takes a new one", file=folder)
        else:
            folder.mkdir(exist_ok=True)
            with files.FileBatch() as batch:
                batch.create(known).write(json.dumps(wanted).encode())

    def keep(self, number: int, portion: Portion, stage: str) -> None:
        modelfile.write(self._path(number, stage), {"holds": "a block"}, portion.to_parts(), compress=False)

    def kept(self, number: int, stage: str) -> Portion | None:
        """The saved portion of a block; None if it has not been computed yet."""
        path = self._path(number, stage)
        return Portion.from_parts(modelfile.read(path)[1]) if path.exists() else None

    def done(self) -> None:
        shutil.rmtree(self.folder)

    def _path(self, number: int, stage: str) -> Path:
        return self.folder / f"{stage}-{number:08d}.zip"
