"""The NIF web service that GERBIL and ELEVANT call: it reads a context in Turtle and returns it with links.

Any content type is accepted, since ELEVANT sends none. If the request contains phrases, these are disambiguated (D2KB);
otherwise the text is annotated (A2KB). Confidences are left out unless requested (?confidence=1), because GERBIL would
use them to choose a threshold on the gold data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.corpora.formats import nif
from engine.data.document import Document, Layer, Mention
from engine.service.models.loading import Loaded
from engine.service.models.predicting import Decided, decide
from engine.service.requests.replies import TOO_LARGE, UNREADABLE, WRONG, Ask, Refused, Reply
from engine.tasks.capabilities import RanksEntities

GERBIL: Final = "application/x-turtle"
TURTLE: Final = "text/turtle"
YES: Final = ("1", "true", "yes")
REQUEST: Final = Path("request")
"""A placeholder for the file name in error messages of the reader; clients do not see it."""


def annotate(loaded: Loaded, ask: Ask) -> Reply:
    task = loaded.task
    if "link" not in task.decides:
        raise Refused(WRONG, f"{task.name} links nothing; GERBIL asks linking or disambiguation")
    try:
        text = ask.body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(UNREADABLE, "the body is not UTF-8 text") from None
    if not text.strip():
        raise Refused(UNREADABLE, "the body is empty; a context in Turtle is expected")
    documents = list(nif.documents(text, "turtle", REQUEST, every_phrase=True))
    if len(documents) > ask.limits.documents:
        raise Refused(TOO_LARGE, f"{len(documents)} contexts, where {ask.limits.documents} are allowed")
    for document in documents:
        if len(document.text) > ask.limits.characters:
            raise Refused(TOO_LARGE, f"a text of {len(document.text)} characters")
    decided = decide(loaded, documents)
    told = ask.query.get("confidence", "").lower() in YES
    found = "".join(
        line
        for index in range(len(documents))
        for line in _lines(documents[index], _layer(loaded, decided, index), told)
    )
    media_type = GERBIL if GERBIL in ask.accept else TURTLE
    return Reply(found.encode("utf-8"), f"{media_type};charset=utf-8", documents=len(documents))


def _layer(loaded: Loaded, decided: Decided, index: int) -> Layer:
    """The links that were decided; if spans are given to a system that finds its own, the best entity of each span."""
    task, document = loaded.task, decided.scored.documents[index]
    given = document.gold.mentions
    if not given or task.given(document, loaded.model) or not isinstance(task, RanksEntities):
        return decided.layers[index]
    one = decided.scored.one(index)
    ranked = [(mention, task.rank_entities(one, mention.span)) for mention in given]
    return Layer(tuple(Mention(*mention.span, entity=best[0][0], score=best[0][1]) for mention, best in ranked if best))


def _lines(document: Document, layer: Layer, told: bool) -> Iterator[str]:
    mentions = layer.mentions if told else tuple(replace(mention, score=None) for mention in layer.mentions)
    return nif.answer_lines(document, mentions)
