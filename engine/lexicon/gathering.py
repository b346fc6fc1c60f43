"""Makes a lexicon from annotation: the names in a corpus and the entities to which its gold links them.

It contains nothing beyond the corpus, so it is a start for somebody who has linked texts but no knowledge base; it has
no candidates for names that occur only in other texts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Final

from engine.data.document import Document
from engine.lexicon.surfaces import normalise

SOURCE: Final = "tweets_train"
"""The source tag that learners, by default, leave out of their counts text by text."""


def gathered(documents: Iterable[Document]) -> str:
    """The lines of a surface file, names in order; empty if nothing is linked."""
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        for mention in document.gold.mentions:
            name = normalise(document.surface(mention))
            if mention.is_linked and mention.entity is not None and name:
                counts.setdefault(name, Counter())[mention.entity] += 1
    lines = []
    for name in sorted(counts):
        entities = [[entity, count, [SOURCE]] for entity, count in counts[name].most_common()]
        lines.append(json.dumps({"surface": name, "entities": entities}, ensure_ascii=False) + "\n")
    return "".join(lines)
