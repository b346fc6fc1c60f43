"""Figures drawn by Plotly can be saved like every other picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.browser.conftest import Visit

pytestmark = pytest.mark.thorough
TEXT = "{http://www.w3.org/2000/svg}text"


def test_a_figure_is_saved_as_svg_with_all_its_layers_and_as_png(visit: Visit) -> None:
    page = visit("/corpora?view=Statistics")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    buttons = page.locator(".saving button")
    assert buttons.count() == 2 * page.locator(".js-plotly-plot").count() > 0
    with page.expect_download() as saved:
        buttons.get_by_text("SVG").first.click()
    assert saved.value.suggested_filename == "tokens.svg"
    drawing = ElementTree.fromstring(saved.value.path().read_text(encoding="utf-8"))
    words = " ".join("".join(one.itertext()) for one in drawing.iter(TEXT))
    # The title is in another layer than the bars and the axes.
    assert "tokens per document" in words and "documents" in words
    assert any("point" in (one.get("class") or "") for one in drawing.iter())
    with page.expect_download() as saved:
        buttons.get_by_text("PNG").first.click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
