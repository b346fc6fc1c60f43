"""Writes the pages of the guide that are made from the code: the glossary and the reference of the Python names.

    python docs/write_reference.py

The glossary comes from engine/workbench/glossary.py, the reference from docstrings and signatures. A test fails where a
page is not what this would write.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from textwrap import fill
from types import FunctionType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
GUIDE: Final = ROOT / "docs" / "guide"
WIDTH: Final = 118
MADE: Final = "<!-- made by docs/write_reference.py: change the code, not this page -->\n\n"

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "engine.corpora": ("read", "write"),
    "engine.tasks.registry": ("get", "names"),
    "engine.tasks.base": ("Task", "Model", "LearnerInfo", "Resources", "TrainingRound"),
    "engine.tasks.saving": ("load_model", "save_model"),
    "engine.tuning.path": ("bias_path",),
    "engine.tuning.curve": ("Curve",),
    "engine.tuning.long_curve": ("LongCurve",),
    "engine.tuning.guard": ("Lock", "Glance", "verdict"),
    "engine.structures.nonoverlap": ("NonOverlap",),
    "engine.structures.tree": ("AntecedentTree", "Arborescence"),
    "engine.structures.bag": ("Bag",),
    "engine.learners.fbeta": ("worst_labels",),
    "engine.metrics.coreference": ("score_clusters",),
    "engine.workbench.comparison": ("compare",),
    "engine.workbench.honesty": ("learnt_from", "starting_point", "apart", "comparable_with"),
}
"""The names that scripts outside rely on, by the module that has them."""


def glossary() -> str:
    """Every word with its sentence and its source, by kind."""
    from engine.workbench.glossary import KINDS, by_kind, papers

    lines = ["# Glossary\n", MADE, "The app shows the same sentences as tooltips and on its *Help* page.\n"]
    for kind, entries in by_kind().items():
        lines.append(f"\n## {KINDS[kind]}\n")
        for entry in entries:
            source = f" *{entry.source}.*" if entry.source else ""
            text = f"- **{entry.title}**: {_plain(entry.sentence)}{source}"
            lines.append(
                fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
            )
    lines.append("\n## Papers\n")
    for paper in papers().values():
        text = f"- {paper.authors}, *{paper.title}* ({paper.venue}): {paper.system}."
        lines.append(fill(text, WIDTH, subsequent_indent="  ") + "\n")
    return "".join(lines)


def reference() -> str:
    """Signature and docstring of every name, by module."""
    lines = ["# Python reference\n", MADE, "The names that scripts outside the repository may rely on.\n"]
    for module, names in NAMES.items():
        lines.append(f"\n## `{module}`\n")
        for name in names:
            found = getattr(import_module(module), name)
            lines.append(_described(name, found, heading="###"))
            if inspect.isclass(found):
                lines += _members(name, found)
    return "".join(lines)


def _members(owner: str, found: type) -> list[str]:
    own = [(name, value) for name, value in vars(found).items() if not name.startswith("_")]
    return [
        _described(f"{owner}.{name}", value, heading="####")
        for name, value in own
        if isinstance(value, FunctionType) and inspect.getdoc(value)
    ]


def _described(name: str, found: object, *, heading: str) -> str:
    told = _plain(inspect.getdoc(found) or "")
    return f"\n{heading} `{name}`\n{_signature(name, found)}\n{told}\n"


def _signature(name: str, found: object) -> str:
    if inspect.isclass(found):
        return ""
    assert callable(found)
    parameters = [_parameter(one) for one in inspect.signature(found).parameters.values()]
    inside = ", ".join(parameters)
    return fill(f"`{name.split('.')[-1]}({inside})`", WIDTH) + "\n"


def _parameter(one: inspect.Parameter) -> str:
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
    default = "" if one.default is inspect.Parameter.empty else "=…"
    return f"{star}{one.name}{default}"


def _plain(text: str) -> str:
    """Without what Markdown or the site would read as markup."""
    return text.replace("<", "&lt;").replace("|", "\\|")


PAGES: Final = {"glossary.md": glossary, "reference.md": reference}


def main() -> int:
    sys.path.insert(0, str(ROOT))
    for name, write in PAGES.items():
        (GUIDE / name).write_text(write(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
