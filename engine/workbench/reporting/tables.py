"""Export of tables: CSV, Markdown, LaTeX, HTML. Everything is escaped for its format."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final


@dataclass(frozen=True)
class ReportTable:
    """Rows under named columns; numbers are written with meaningful precision."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, name: str, rows: Sequence[Mapping[str, Any]]) -> ReportTable:
        columns = tuple(rows[0]) if rows else ()
        return cls(name, columns, tuple(tuple(row.get(column) for column in columns) for row in rows))

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(_csv, self.columns))
        writer.writerows([["" if cell is None else _csv(cell) for cell in row] for row in self.rows])
        return out.getvalue()

    def markdown(self) -> str:
        lines = ["| " + " | ".join(map(_markdown, self.columns)) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(_markdown(shown(cell)) for cell in row) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        align = "".join("r" if self._is_number(i) else "l" for i in range(len(self.columns)))
        lines = [rf"\begin{{tabular}}{{{align}}}", r"\hline"]
        lines.append(" & ".join(map(_latex, self.columns)) + r" \\ \hline")
        lines += [" & ".join(_latex(shown(cell)) for cell in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])

    def html(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in self.rows)
        return f"<table><caption>{escape(self.name)}</caption><tr>{head}</tr>{body}</table>"

    def _is_number(self, column: int) -> bool:
        return bool(self.rows) and all(isinstance(row[column], int | float | None) for row in self.rows)


def _cell(cell: Any) -> str:
    number = (isinstance(cell, int | float) and not isinstance(cell, bool)) or _NUMBER.fullmatch(str(cell))
    return f"<td{' class=number' if number else ''}>{escape(shown(cell))}</td>"


_NUMBER: Final = re.compile(r"[+−-]?\d+(\.\d+)?( %)?")


def shown(cell: Any) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return str(cell)


def plain(value: object) -> str:
    """A setting as a reader would write it: no brackets, no quotes."""
    if isinstance(value, tuple | list):
        return ", ".join(plain(one) for one in value) or "none"
    return shown(value)


def _csv(cell: Any) -> Any:
    """The cell; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def _markdown(text: str) -> str:
    """The text, escaped so that it is not read as a column, a link, an image or code."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " ")).replace("<", "&lt;")


_MARKDOWN: Final = re.compile(r"([\\|\[\]!`*_])")


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text.replace("\n", " "))
