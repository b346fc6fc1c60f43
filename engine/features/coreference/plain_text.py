"""Plain-text documents: tokens, tags and dependencies by spaCy if it is installed, else tags by rule."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.features.coreference.tagging import tags

_MODELS: Final = {"english": "en_core_web_sm", "chinese": "zh_core_web_sm"}


def tagged(document: Document, language: str) -> Document:
    """The document with tags, which the extraction of mentions needs; unchanged if it has some. Tags and dependencies
    come from spaCy if it and its model are installed; otherwise English is tagged by rule."""
    if not document.text.strip() or _has_tags(document):
        return document
    if document.tokens or (language == "english" and not can_tag(language)):
        return by_rule(document) if language == "english" else document
    try:
        parsed = _parser(language)(document.text)
    except InputError as error:
        raise InputError(f"document {document.id!r} is plain text: {error.what}") from error
    tokens = [token for token in parsed if not token.is_space]
    position = {token.i: number for number, token in enumerate(tokens)}
    sentences: list[tuple[int, int]] = []
    columns: dict[str, list[Any]] = {"pos": [], "upos": [], "deplemma": [], "head": [], "deprel": []}
    for sentence in parsed.sents:
        inside = [token for token in sentence if not token.is_space]
        if not inside:
            continue
        first = position[inside[0].i]
        sentences.append((first, first + len(inside)))
        for token in inside:
            columns["pos"].append(token.tag_)
            columns["upos"].append(token.pos_)
            columns["deplemma"].append(token.lemma_)
            columns["deprel"].append(token.dep_)
            columns["head"].append(-1 if token.head.i == token.i else position.get(token.head.i, first) - first)
    return replace(
        document,
        tokens=tuple((token.idx, token.idx + len(token.text)) for token in tokens),
        sentences=tuple(sentences),
        columns={name: tuple(values) for name, values in columns.items()},
    )


def by_rule(document: Document) -> Document:
    """English text with words, sentences and tags by rule."""
    read = tokenised(document)
    starts = frozenset(start for start, _ in read.sentences)
    return replace(read, columns={**read.columns, "pos": tuple(tags(read.words, starts))})


def _has_tags(document: Document) -> bool:
    """Whether some token has a tag: files without tags may have the column all the same, with a dash everywhere."""
    columns = (document.columns.get(name, ()) for name in ("pos", "upos"))
    return any(tag not in ("-", "_", None) for column in columns for tag in column)


@cache
def can_tag(language: str = "english") -> bool:
    """Whether spaCy and its model are installed."""
    return all(find_spec(name) is not None for name in ("spacy", _MODELS[language]))


@cache
def _parser(language: str) -> Any:
    """The tagger of a language, loaded once, because loading takes longer than tagging most documents."""
    name = _MODELS.get(language)
    otherwise = "or give a parsed file (CoNLL-2012), or use a model that was trained on given mentions"
    if name is None:
        raise InputError(f"no tagger is known for {language}; {otherwise.removeprefix('or ')}")
    try:
        import spacy
    except ImportError as error:
        raise InputError(
            f"it needs a tagger: pip install -r requirements-text.txt, then python -m spacy download {name};"
            f" {otherwise}"
        ) from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise InputError(f"spaCy lacks its model {name}: python -m spacy download {name}; {otherwise}") from error
