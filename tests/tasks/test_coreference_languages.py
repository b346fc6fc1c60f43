"""Chinese and Arabic end to end: small parsed documents of our own, from mentions to chains."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpora import read
from engine.data.document import Document, Layer
from engine.features.coreference.languages import load
from engine.features.coreference.mentions import extract
from engine.features.coreference.words import Words
from engine.settings import with_values
from engine.tasks.base import Resources
from engine.tasks.coreference.task import Coreference

FOLDER = Path(__file__).resolve().parents[2] / "sample_data" / "coreference" / "languages"
LANGUAGES = sorted(path.stem for path in FOLDER.iterdir())
TASK = Coreference()


def chains(document: Document, layer: Layer) -> set[frozenset[str]]:
    """The chains as the words of their mentions, with the places where they begin."""
    return {
        frozenset(f"{layer.mentions[i].start} {document.surface(layer.mentions[i])}" for i in cluster)
        for cluster in layer.clusters
        if len(cluster) > 1
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mention_of_the_samples_is_proposed(language: str) -> None:
    for document in read(FOLDER / f"{language}.conll"):
        gold = {document.token_range(*mention.span) for mention in document.gold.mentions}
        assert gold and gold <= set(extract(Words(document, load(language))))


@pytest.mark.thorough
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_gives_back_the_chains_that_it_has_learnt(language: str) -> None:
    documents = read(FOLDER / f"{language}.conll")
    settings = with_values(TASK.learner("baseline").settings, {"language": language, "n_rounds": "20"})
    *_, last = TASK.rounds(documents, [], "baseline", settings, Resources())
    for document, layer in zip(documents, TASK.decide(TASK.scored(documents, last.model)), strict=True):
        assert chains(document, layer) == chains(document, document.gold) != set()
