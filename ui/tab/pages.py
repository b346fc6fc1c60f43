"""The list of pages. Systems come from the registry, icons and keys of their pages from their view packages, so that a
new system is listed nowhere else.

A page is a script, `pages/<name>.py`; that of a system may also be in its view package, `ui/views/<name>/page.py`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from engine.tasks import registry

ROOT: Final = Path(__file__).resolve().parents[2]
_LISTED: Final = {path.stem: path for path in (ROOT / "pages").glob("*.py")}
"""Looked up once, since every click asks for all pages."""
SEE: Final = "See"
"""The group of the systems' pages."""

Keys: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""(keys, what they do), for the list that ? shows."""


class PageInfo(NamedTuple):
    name: str
    title: str
    icon: str


_OTHERS: Final[dict[str, tuple[PageInfo, ...]]] = {
    "": (PageInfo("home", "Home", ":material/home:"),),
    SEE: (PageInfo("document", "Document", ":material/article:"),),
    "Measure": (
        PageInfo("tune", "Tune", ":material/tune:"),
        PageInfo("errors", "Errors", ":material/error:"),
        PageInfo("compare", "Compare", ":material/compare_arrows:"),
        PageInfo("experiments", "Experiments", ":material/science:"),
    ),
    "Work": (
        PageInfo("annotate", "Annotate", ":material/edit_note:"),
        PageInfo("train", "Train", ":material/model_training:"),
        PageInfo("corpora", "Corpora", ":material/folder_open:"),
    ),
    "Help": (
        PageInfo("help", "Help", ":material/help:"),
        PageInfo("about", "About", ":material/info:"),
    ),
}


def groups() -> dict[str, tuple[PageInfo, ...]]:
    """All pages by group; systems in the order of the registry."""
    systems = tuple(PageInfo(name, name.capitalize(), words(name).ICON) for name in registry.names() if exists(name))
    return {group: (*infos, *systems) if group == SEE else infos for group, infos in _OTHERS.items()}


def exists(name: str) -> bool:
    """Whether the page exists; that of a system only if the system is registered."""
    if name in registry.names():
        return _script(name) is not None
    return name in {info.name for infos in _OTHERS.values() for info in infos}


def is_system(name: str) -> bool:
    return name in registry.names()


def script(name: str) -> Path:
    """The file that draws the page."""
    found = _script(name)
    if found is None:
        raise LookupError(f"there is no page {name!r}")
    return found


def _script(name: str) -> Path | None:
    if name in _LISTED:
        return _LISTED[name]
    if find_spec(f"ui.views.{name}") is None:
        return None
    own = find_spec(f"ui.views.{name}.page")
    return None if own is None or own.origin is None else Path(own.origin)


def words(name: str) -> Any:
    """The texts of a view package about its page: ICON, SENTENCE, KEYS."""
    return import_module(f"ui.views.{name}.words")


def own_keys(name: str) -> Keys:
    """The keys of one page, besides those of all pages."""
    if find_spec(f"ui.views.{name}") is None or find_spec(f"ui.views.{name}.words") is None:
        return ()
    keys: Keys = getattr(words(name), "KEYS", ())
    return keys
