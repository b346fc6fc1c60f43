"""One number format on all pages: a true minus sign, and no p-value that reads 0.000. Looked for in the source, because
a difference is negative, and a p-value small, only now and then."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.harness import ROOT

SOURCES = sorted([*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
P_VALUES = {"p", "p_permutation", "p_corrected", "p_bootstrap"}


def faults(source: str) -> Iterator[str]:
    """Numbers with a sign that Python writes, formats that Streamlit would write with a hyphen, bare p-values."""
    tree = ast.parse(source)
    told = [one for call in ast.walk(tree) if _adds_minus(call) for one in ast.walk(call)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node not in told and _spec(node).startswith("+"):
            yield f"line {node.lineno}: a signed number with a hyphen"
        if isinstance(node, ast.FormattedValue) and _is_p(node.value) and _spec(node):
            yield f"line {node.lineno}: a p-value that may read 0.000"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "%+" in node.value:
            yield f"line {node.lineno}: a column with a hyphen for minus"
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                named = isinstance(key, ast.Constant) and str(key.value).startswith(("p (", "p against"))
                if named and _is_p(value):
                    yield f"line {value.lineno}: a p-value without words"


def _adds_minus(node: ast.AST) -> bool:
    """A call that puts the minus sign in."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("with_minus", "replace")


def _spec(node: ast.FormattedValue) -> str:
    if not isinstance(node.format_spec, ast.JoinedStr):
        return ""
    return "".join(str(one.value) for one in node.format_spec.values if isinstance(one, ast.Constant))


def _is_p(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in P_VALUES


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numbers_are_written_in_one_way(path: Path) -> None:
    assert list(faults(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        'x = f"{y:+.1f}"',
        'x = f"{one.p:.3f}"',
        'x = column(format="%+.2f")',
        'x = {"p (Holm)": one.p_corrected}',
    ],
)
def test_the_check_can_fail(source: str) -> None:
    assert len(list(faults(source))) == 1
    assert list(faults('x = with_minus(f"{y:+.1f}")')) == []
