"""Tables are escaped for wherever they go, and CSV comes back as it went."""

import csv
import io

from engine.workbench.reporting.report import RunReport, Section
from engine.workbench.reporting.tables import ReportTable

NASTY = ReportTable.of("t", [{"name": 'a|b,"c"\n<script>alert(1)</script>', "x_%": 0.123456, "n": None}])


def test_csv_reads_back():
    rows = list(csv.reader(io.StringIO(NASTY.csv())))
    assert rows == [["name", "x_%", "n"], ['a|b,"c"\n<script>alert(1)</script>', "0.123456", ""]]


def test_markdown_cells_cannot_break_out():
    lines = NASTY.markdown().splitlines()
    assert len(lines) == 3 and lines[2].count(" | ") == 2 and "<script" not in lines[2]


def test_latex_specials_are_escaped():
    text = ReportTable.of("t", [{"a_b": "50 % & $x$ {y} \\z"}]).latex()
    assert r"a\_b" in text and r"50 \% \& \$x\$ \{y\} \textbackslash{}z" in text


def test_html_report_holds_hostile_text_as_text_and_no_address():
    page = RunReport("</title><script>", (Section("<b>", "<img src=x>", tables=(NASTY,)),)).html()
    assert "<script>" not in page and "<img" not in page and "<b>" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_csv_cells_are_no_formulas_and_numbers_stay_numbers():
    rows = [{"=name": '=HYPERLINK("http://evil.example")', "n": -1.5}, {"=name": "@x", "n": 2}]
    read = list(csv.reader(io.StringIO(ReportTable.of("t", rows).csv())))
    assert read == [["'=name", "n"], ['\'=HYPERLINK("http://evil.example")', "-1.5"], ["'@x", "2"]]


def test_markdown_cells_hold_no_image_link_or_code():
    text = ReportTable.of("t", [{"a": "![x](http://evil.example/p.png) `code` *b*"}]).markdown().splitlines()[2]
    assert "![" not in text and "](" not in text.replace("\\](", "") and "\\`code" in text
