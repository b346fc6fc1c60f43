"""The typical errors of a report are the same, however its documents are cut into blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document
from engine.metrics.cases import Case, cases, surest_first
from engine.metrics.errors import STAGES, Error
from engine.workbench.reporting.pictures import case_html
from engine.workbench.reporting.typical import TYPICAL, Typical, typical_records

DOCUMENTS = [Document.from_words(f"d{number}", [["Ada", "met", "Bob"]]) for number in range(9)]


@st.composite
def errors(draw: st.DrawFn) -> list[list[Error]]:
    """The errors of each document; many with the same confidence."""
    one = st.builds(
        lambda stage, kind, start, confidence, counts: Error(
            "", kind, stage, "PER", start, start + 3, "A", "B", confidence, counts=counts
        ),
        st.sampled_from(STAGES[:3]),
        st.sampled_from(("miss", "false alarm")),
        st.sampled_from((0, 8)),
        st.sampled_from((0.25, 0.5, 0.75)),
        st.booleans(),
    )
    found = draw(st.lists(st.lists(one, max_size=6), min_size=9, max_size=9))
    return [
        [Error(**{**vars(error), "document": document.id}) for error in own]
        for document, own in zip(DOCUMENTS, found, strict=True)
    ]


def of_one_piece(found: list[Error]) -> list[str]:
    """All cases in memory: those of each stage in turn."""
    by_id = {document.id: document for document in DOCUMENTS}
    waiting: dict[str, list[Case]] = {}
    for case in surest_first(cases(found)):
        waiting.setdefault(case.main.stage, []).append(case)
    shown: list[Case] = []
    while any(waiting.values()):
        shown += [queue.pop(0) for queue in waiting.values() if queue]
    return [case_html(case, by_id[case.main.document]) for case in shown[:TYPICAL]]


@given(errors(), st.integers(1, 9))
def test_blocks_keep_what_the_whole_corpus_shows(found: list[list[Error]], size: int) -> None:
    kept = Typical()
    for first in range(0, 9, size):
        own = [error for errors in found[first : first + size] for error in errors]
        kept.take(typical_records(DOCUMENTS[first : first + size], own))
    assert kept.shown() == of_one_piece([error for errors in found for error in errors])
