"""What is drawn under the text, decided without a browser."""

from __future__ import annotations

from itertools import pairwise

import hypothesis.strategies as some
from hypothesis import given

from engine.data.document import NIL, Document, Layer, Mention
from tests.ui.harness import ROOT
from ui.components.text import cluster_numbers, paragraphs_of, payload, spans_of
from ui.shell import layout
from ui.tab import hidden


def test_a_mention_that_both_layers_have_is_one_bar_with_both_signs() -> None:
    gold = Layer((Mention(0, 3, entity="A"), Mention(4, 7, entity=NIL)))
    predicted = Layer((Mention(0, 3, entity="A", score=0.25), Mention(4, 7, entity="B")))
    drawn = {(span.start, span.label): (span.gold, span.predicted) for span in spans_of(gold, predicted, by="entity")}
    assert drawn == {(0, "A"): (True, True), (4, "NIL"): (True, False), (4, "B"): (False, True)}


def test_a_predicted_cluster_takes_the_number_of_the_gold_cluster_it_shares_most_with() -> None:
    mentions = tuple(Mention(i, i + 1) for i in range(7))
    gold = Layer(mentions, clusters=((0, 1), (2, 3, 4)))
    predicted = Layer(mentions, clusters=((5, 6), (0, 2, 3), (1,)))
    assert cluster_numbers(gold, predicted) == {
        "gold": {0: 1, 1: 1, 2: 2, 3: 2, 4: 2},
        "predicted": {5: 3, 6: 3, 0: 2, 2: 2, 3: 2, 1: 1},
    }


words = some.text(alphabet="ab é👩שמ東\u202e\u200b<", min_size=1, max_size=5).filter(lambda word: word.strip() == word)


@given(some.lists(some.lists(words, min_size=1, max_size=5), min_size=1, max_size=5))
def test_paragraphs_show_every_character_but_the_breaks_between_them_once(sentences: list[list[str]]) -> None:
    document = Document.from_words("d", sentences)
    ranges = paragraphs_of(document)
    shown = "".join(document.text[a:b] for a, b in ranges)
    assert shown == document.text.replace("\n", "")
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))


def test_a_text_without_sentences_is_shown_line_by_line() -> None:
    document = Document("d", "one\n\ntwo")
    assert paragraphs_of(document) == [(0, 3), (4, 4), (5, 8)]
    assert paragraphs_of(Document("d", "")) == []


def test_the_page_is_rebuilt_when_the_spans_change_and_not_when_the_selection_does() -> None:
    document = Document("d", "one two", layers={"gold": Layer((Mention(0, 3, type="N"),))})
    one = spans_of(document.gold, None, by="type")
    assert payload(document, one)["version"] == payload(document, one, selected="gold:0", bias=2.0)["version"]
    assert payload(document, one)["version"] != payload(document, [])["version"]


def test_hidden_characters_become_placeholders_and_joiners_stay() -> None:
    assert layout.visible("a\u202eb\u200bc\x07") == "a⟨RLO⟩b⟨ZWSP⟩c⟨U+0007⟩"
    assert layout.visible("👩\u200d👧 é שלום") == "👩\u200d👧 é שלום"


def test_the_browser_and_the_server_hide_the_same_characters() -> None:
    import re

    script = (ROOT / "ui" / "components" / "shared" / "dom.js").read_text(encoding="utf-8")
    pattern = re.search(r"const CONTROL =\s*(?://[^\n]*\s*)?/(\[.*?\])/u", script)
    assert pattern is not None
    assert pattern[1] == hidden._HIDDEN.pattern
