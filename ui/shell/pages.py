"""Which pages there are. Systems come from the registry, icons and keys of their pages from their view packages,
so that a new system is listed nowhere else.

A page is a file `pages/<name>.py`; a system that has none is drawn by `draw()` of its `ui/views/<name>/page.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from engine.tasks import registry

ROOT: Final = Path(__file__).resolve().parents[2]
SEE: Final = "See"
"""The group that systems stand in."""

Keys: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""(keys, what they do), for the list that ? shows."""


class PageInfo(NamedTuple):
    name: str
    title: str
    icon: str


_OTHERS: Final[dict[str, tuple[PageInfo, ...]]] = {
    "": (PageInfo("home", "Home", ":material/home:"),),
    SEE: (PageInfo("document", "Document", ":material/article:"),),
    "Tune": (PageInfo("tune", "Tune", ":material/tune:"),),
    "Errors": (
        PageInfo("errors", "Errors", ":material/error:"),
        PageInfo("compare", "Compare", ":material/compare_arrows:"),
    ),
    "Work": (
        PageInfo("annotate", "Annotate", ":material/edit_note:"),
        PageInfo("train", "Train", ":material/model_training:"),
        PageInfo("corpora", "Corpora", ":material/folder_open:"),
    ),
}


def groups() -> dict[str, tuple[PageInfo, ...]]:
    """Every page by the group it stands in; systems in the order of the registry."""
    systems = tuple(PageInfo(name, name.capitalize(), words(name).ICON) for name in registry.names() if exists(name))
    return {group: (*infos, *systems) if group == SEE else infos for group, infos in _OTHERS.items()}


def exists(name: str) -> bool:
    """Whether there is such a page: of a system only if the system is registered."""
    if name in registry.names():
        return page_file(name).is_file() or find_spec(f"ui.views.{name}.page") is not None
    return name in {info.name for infos in _OTHERS.values() for info in infos}


def is_system(name: str) -> bool:
    return name in registry.names()


def page_file(name: str) -> Path:
    return ROOT / "pages" / f"{name}.py"


def source(name: str) -> Path | Callable[[], None]:
    """What draws the page: its file, or a function."""
    if page_file(name).is_file():
        return page_file(name)
    draw: Callable[[], None] = import_module(f"ui.views.{name}.page").draw
    return draw


def words(name: str) -> Any:
    """What a view package says about its page: ICON, SENTENCE, KEYS."""
    return import_module(f"ui.views.{name}.words")


def own_keys(name: str) -> Keys:
    """Keys of one page, beside those that all pages have."""
    if find_spec(f"ui.views.{name}.words") is None:
        return ()
    keys: Keys = getattr(words(name), "KEYS", ())
    return keys
