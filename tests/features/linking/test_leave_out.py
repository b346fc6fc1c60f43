"""A training text must look as it would had it never been annotated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import Document
from engine.features.linking.all import BASIC
from engine.features.linking.memory import clusters
from engine.lexicon.assembling import assemble
from engine.lexicon.build import open_or_build
from engine.tasks.linking.scoring import rows_of
from engine.tasks.linking.settings import SMart
from engine.tasks.linking.training import fold_of, learn

SAMPLE = Path(__file__).resolve().parents[3] / "sample_data" / "linking"


@pytest.fixture(scope="module")
def documents():
    return read(SAMPLE / "train.jsonl")[:60]


@pytest.fixture(scope="module")
def lexicon():
    # Only the base: the counts of the training texts are in the memory.
    return open_or_build(
        [SAMPLE / "lexicon" / name for name in ("lexicon_base.jsonl", "entities.tsv", "descriptions.tsv")]
    )


def _statistics(rows, document: int):
    """Rows of one document as a set: span, title, and every feature."""
    parts = rows.parts
    return sorted(
        (int(parts.start[row]), int(parts.end[row]), parts.title(row), *np.round(rows.features[row], 4).tolist())
        for row in parts.parts(document)
    )


@pytest.mark.parametrize("blocks", [0, 5])
def test_rows_of_a_training_text_are_those_of_a_corpus_without_its_block(documents, lexicon, blocks):
    settings = SMart(blocks=blocks)
    _, rows, groups = learn(documents, lexicon, settings)
    for held_out in (0, 7, 23):
        parts = fold_of(groups, blocks, settings.seed).tolist() if blocks else groups
        rest = [d for d, part in zip(documents, parts, strict=True) if part != parts[held_out]]
        without, _, _ = learn(rest, lexicon, settings)
        unseen = rows_of([replace(documents[held_out], layers={})], without, None)
        assert _statistics(rows, held_out) == _statistics(unseen, 0)


def test_lexicon_counts_of_the_training_texts_are_subtracted_once(documents):
    """With the texts' own counts in the lexicon under an own tag, training rows are the same as without them."""
    base = SAMPLE / "lexicon" / "lexicon_base.jsonl"
    plain = open_or_build([base])
    records = []
    for document in documents:
        for mention in document.gold.mentions:
            if mention.is_linked:
                records.append((document.surface(mention).lower(), [(str(mention.entity), 1, ("tweets_train",))]))
    lines = map(json.loads, base.read_text(encoding="utf-8").splitlines())
    written = [(line["surface"], [(t, n, tuple(tags)) for t, n, tags in line["entities"]]) for line in lines]
    held = [*written, *records]
    counted = assemble(lambda: held, {})
    _, one, _ = learn(documents, plain, SMart())
    _, other, _ = learn(documents, counted, SMart())
    assert _listed(one) == _listed(other)


def _listed(rows):
    """Rows that some source supports, with their counts; what a title alone suggests depends on renown."""
    c, parts = rows.candidates, rows.parts
    return {
        (parts.document[row], parts.start[row], parts.end[row], parts.title(row), c.tweet_count[row], c.sources[row])
        for row in np.flatnonzero(c.sources)
    }


def test_copies_share_a_cluster_and_strangers_do_not():
    texts = [
        "Fires burn in the north of the city tonight http://t.co/1",
        "RT @x: Fires burn in the north of the city tonight",
        "fires burn in the north of the city, tonight! http://t.co/22",
        "My cat sleeps all day long",
        "Completely different words about music",
    ]
    found = clusters([Document(str(i), text) for i, text in enumerate(texts)])
    assert len(set(found[:3])) == 1
    assert len(set(found)) == 3


def test_every_feature_is_named_once_documented_and_finite(documents, lexicon):
    _, rows, _ = learn(documents, lexicon, SMart())
    names = [feature.name for feature in BASIC]
    assert len(names) == len(set(names)) >= 37
    assert all(feature.help for feature in BASIC)
    assert rows.features.shape == (rows.candidates.n_rows, len(names))
    assert np.isfinite(rows.features).all()
