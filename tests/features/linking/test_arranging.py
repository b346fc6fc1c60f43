"""Arranging flat rows gives what sets of rows give, text by text and span by span."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from engine.features.linking.arranging import Names, Rows, Spans, arranged
from engine.features.linking.proposing.forms import FORM


class Row(NamedTuple):
    entity: int
    sources: int
    forms: int
    aliases: int


class Named(NamedTuple):
    """A span: its tokens, the word that it is, the words by which it may be said again, and its rows."""

    first: int
    last: int
    said: int
    ends: tuple[int, int]
    rows: list[Row]


ROWS = st.lists(
    st.builds(
        Row,
        st.integers(0, 5),
        st.sampled_from((0, 0, 1)),
        st.sampled_from((0, FORM["plain"], FORM["guess"])),
        st.sampled_from((0, 0, 2)),
    ),
    max_size=5,
    unique_by=lambda row: row.entity,
)
SPANS = st.builds(
    lambda first, length, said, ends, rows: Named(first, first + length, said, ends, rows),
    st.integers(0, 5),
    st.integers(1, 3),
    st.sampled_from((-2, 0, 1)),
    st.tuples(st.sampled_from((-1, 0, 1)), st.sampled_from((-1, 0, 1))),
    ROWS,
)
TEXTS = st.lists(SPANS, max_size=5, unique_by=lambda span: (span.first, span.last))


def slowly(text: list[Named]) -> list[list[tuple[int, int, bool]]]:
    """For each span the entity and the forms of its rows, and whether the row is new."""
    left = []
    for span in text:
        longer = [o for o in text if o is not span and o.first <= span.first and span.last <= o.last]
        named = {row.entity for other in longer for row in other.rows}
        left.append([row for row in span.rows if row.sources or not row.aliases or row.entity not in named])
    found = []
    for span, rows in zip(text, left, strict=True):
        heard = set()
        for other, others in zip(text, left, strict=True):
            if span.said in other.ends and (other.last <= span.first or span.last <= other.first):
                heard |= {row.entity for row in others if row.sources or row.forms & FORM["guess"]}
        own = {row.entity for row in rows}
        found.append(
            [(row.entity, row.forms | (FORM["echo"] if row.entity in heard else 0), False) for row in rows]
            + [(entity, FORM["echo"], True) for entity in sorted(heard - own)]
        )
    return found


@given(texts=st.lists(TEXTS, max_size=3))
@example(texts=[[Named(0, 2, -2, (0, 1), [Row(3, 1, 0, 0), Row(1, 1, 0, 0)]), Named(3, 4, 1, (-1, -1), [])]])
@example(texts=[[Named(0, 2, -2, (0, 1), [Row(3, 1, 0, 0)]), Named(0, 1, 0, (-1, -1), [Row(3, 0, 0, 2)])]])
def test_rows_arranged_at_once_are_those_of_each_span_by_itself(texts):
    spans = [span for text in texts for span in text]
    rows = [row for span in spans for row in span.rows]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), 4).T.copy()
    offsets = np.cumsum([0, *(len(span.rows) for span in spans)], dtype=np.int64)
    first, last, said = (np.array([span[i] for span in spans], dtype=np.int64) for i in range(3))
    ends = np.array([span.ends for span in spans], dtype=np.int64).reshape(len(spans), 2).T.copy()
    source, entity, forms, counts = arranged(
        Rows(*columns),
        Spans(first, last, offsets, np.cumsum([0, *map(len, texts)], dtype=np.int64)),
        Names(said, *ends),
    )
    found = list(zip(entity.tolist(), forms.tolist(), (source < 0).tolist(), strict=True))
    expected = [span for text in texts for span in slowly(text)]
    assert counts.tolist() == [len(each) for each in expected]
    assert found == [row for each in expected for row in each]
    stayed = source[source >= 0]
    assert (np.diff(stayed) > 0).all()
    assert [rows[i].entity for i in stayed] == [row[0] for row in found if not row[2]]
