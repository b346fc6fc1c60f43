"""A corpus as a download, in any format that can be written: one file as it is, several as a zip."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine import corpora
from engine.data.document import GOLD, Document, Layer

PER_DOCUMENT: Final = ("brat", "uimacas", "plain")
"""Formats with one file per document: several documents are written to a folder, which is downloaded as a zip."""


def stem(name: str) -> str:
    """A safe file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "unnamed"


def file_name(corpus: str, format: str) -> str:
    extensions = corpora.FORMATS[format].extensions
    return f"{stem(corpus)}{extensions[0] if extensions else ''}"


def with_predictions(documents: Sequence[Document], layers: Sequence[Layer]) -> list[Document]:
    """The documents with the predictions instead of gold, as `predict` writes them."""
    return [document.with_layer(GOLD, layer) for document, layer in zip(documents, layers, strict=True)]


def pack(documents: Sequence[Document], corpus: str, format: str) -> tuple[str, bytes]:
    """Name and content of the download."""
    with tempfile.TemporaryDirectory(prefix="espalier-download-") as folder:
        path = Path(folder) / file_name(corpus, format)
        if format in PER_DOCUMENT and len(documents) != 1:
            path = path.with_name(path.name.split(".")[0] or "corpus")
        corpora.write(documents, path, format)
        written = sorted(one for one in Path(folder).rglob("*") if one.is_file())
        if len(written) == 1:
            return written[0].name, written[0].read_bytes()
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in written:
                # A fixed date, so that the same documents always give the same bytes.
                info = zipfile.ZipInfo(str(one.relative_to(folder)), date_time=(1980, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, one.read_bytes())
        return f"{path.name}.zip", buffer.getvalue()
