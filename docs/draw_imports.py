"""Draws the import graph of the rooms into docs/architecture.md, from the code itself.

    python docs/draw_imports.py

An arrow from A to B says that some module of A imports one of B. Arrows that follow from others are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "architecture.md"
BEGIN: Final = "<!-- drawn by docs/draw_imports.py -->"
END: Final = "<!-- end of the drawing -->"


def rooms() -> set[tuple[str, str]]:
    """(importer, imported) for every two rooms: folders of engine and ui."""
    graph = grimp.build_graph("engine", "ui")
    found = set()
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            here, there = _room(module), _room(other)
            if here and there and here != there:
                found.add((here, there))
    return found


def _room(module: str) -> str:
    """The folder that a module stands in; empty for the few modules that stand beside the folders."""
    parts = module.split(".")
    is_folder = len(parts) > 1 and (ROOT / parts[0] / parts[1]).is_dir()
    return f"{parts[0]}/{parts[1]}" if is_folder else ""


def reduced(arrows: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows that no longer way stands for."""
    below: dict[str, set[str]] = {}
    for here, there in arrows:
        below.setdefault(here, set()).add(there)

    def reaches(start: str, goal: str, without: tuple[str, str]) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            here = waiting.pop()
            for there in below.get(here, ()):
                if (here, there) == without or there in seen:
                    continue
                if there == goal:
                    return True
                seen.add(there)
                waiting.append(there)
        return False

    return sorted(arrow for arrow in arrows if not reaches(*arrow, without=arrow))


def drawing() -> str:
    lines = [
        f"  {here.replace('/', '.')}[{here}] --> {there.replace('/', '.')}[{there}]" for here, there in reduced(rooms())
    ]
    return "\n".join([BEGIN, "```mermaid", "graph TD", *lines, "```", END])


def with_drawing(page: str, made: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + made + after


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(with_drawing(PAGE.read_text(encoding="utf-8"), drawing()), encoding="utf-8")
