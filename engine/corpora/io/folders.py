"""Formats with one file per document: ids as file names, and folders of them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

from engine.data.errors import InputError


def file_name(id: str) -> str:
    """The id as a safe file name; `document_id` is the inverse."""
    if not id:
        raise InputError("a document without an id has no file name")
    name = quote(id, safe=" !#$&'()+,;=@[]^_`{}~-.")
    return "%2E" + name[1:] if name.startswith(".") else name


def document_id(stem: str) -> str:
    return unquote(stem, errors="replace")


def listed(path: Path, ending: str) -> list[Path]:
    """Files of a folder with this ending, ordered by name."""
    try:
        found = sorted(item for item in path.iterdir() if item.name.endswith(ending) and not item.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", file=path) from None
    if not found:
        raise InputError(f"there is no {ending} file in this folder", file=path)
    return found
