"""The words of a document with what its columns say of each: read once, to find its mentions and to describe them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document
from engine.features.coreference.languages import Language, same
from engine.features.coreference.syntax import Tree, governors, tree_of

_NO_TAG: Final = frozenset({"-", "_", None})
_NOT_TOLD: Final = _NO_TAG | {"*"}
_SPEAKER_UNKNOWN: Final = _NOT_TOLD | {""}


class Words:
    """One document in the form that rules read. Lists have one entry per token."""

    def __init__(self, document: Document, language: Language) -> None:
        self.document, self.language = document, language
        self.written = document.words
        self.sentences = document.sentences
        self.lower: list[str] = _changed(self.written, language.plain)
        self.governors: list[int] | None = governors(document)
        """Position of every token's governor, -1 for roots."""

    @cached_property
    def tags(self) -> list[str] | None:
        """Part-of-speech tags, reduced as the language does; None if there are none."""
        column = self._tag_column(_NO_TAG)
        return None if column is None else _changed(column, self.language.reduce_tag)

    @cached_property
    def told_tags(self) -> list[str] | None:
        """The tags, where stars stand for what is not told."""
        column = self._tag_column(_NOT_TOLD)
        if column is None or column is self._tag_column(_NO_TAG):
            return None if column is None else self.tags
        return _changed(column, self.language.reduce_tag)

    def _tag_column(self, unknown: frozenset[Any]) -> Sequence[str] | None:
        columns = self.document.columns
        found = _told(columns.get("pos"), unknown)
        return _told(columns.get("upos"), unknown) if found is None else found

    @cached_property
    def relations(self) -> Sequence[str] | None:
        """The relation of each token to its governor."""
        return _told(self.document.columns.get("deprel"), _NOT_TOLD)

    @cached_property
    def lemmas(self) -> Sequence[str] | None:
        columns = self.document.columns
        lemmas = _told(columns.get("deplemma"), _NOT_TOLD)
        return _told(columns.get("lemma_all"), _NOT_TOLD) if lemmas is None else lemmas

    @cached_property
    def speakers(self) -> list[str]:
        """The speaker of each token, empty where unknown."""
        column = self.document.columns.get("speaker")
        if column is None:
            return [""] * len(self.written)
        return ["" if speaker in _SPEAKER_UNKNOWN else str(speaker) for speaker in column]

    @cached_property
    def sentence_of(self) -> Ints:
        """The number of each token's sentence."""
        numbers = np.zeros(len(self.written), dtype=np.int64)
        for number, (first, last) in enumerate(self.sentences):
            numbers[first:last] = number
        return numbers

    @cached_property
    def tree(self) -> Tree:
        return tree_of(self.document)

    @cached_property
    def entities(self) -> EntityMarks:
        return EntityMarks(self.document.columns.get("ner"))


class EntityMarks:
    """The named entities that a column marks with brackets: (PER, *, *)."""

    def __init__(self, column: Sequence[object] | None) -> None:
        self.spans: dict[tuple[int, int], str] = {}
        """Type by span, in order of the ends."""
        self.around: dict[int, str] = {}
        """Type by token inside an entity; an entity that never ends counts, too."""
        if column is None:
            return
        cells = {bits for bits in column if isinstance(bits, str)}
        edges = {bits for bits in cells if bits.startswith("(") or bits.endswith(")")}
        start, label = -1, ""
        told = [(token, bits) for token, bits in enumerate(column) if bits in edges] if edges else []
        for token, bits in told:
            assert isinstance(bits, str)
            if bits.startswith("("):
                self._fill(start, token, label)
                start, label = token, bits.strip("()*")
            if bits.endswith(")") and start >= 0:
                self.spans[start, token + 1] = label
                self._fill(start, token + 1, label)
                start = -1
        self._fill(start, len(column), label)

    def _fill(self, start: int, end: int, label: str) -> None:
        if start >= 0:
            self.around.update(dict.fromkeys(range(start, end), label))


def _changed(texts: Sequence[str], change: Callable[[str], str]) -> list[str]:
    """Every text changed, which is done once for each distinct one."""
    if change is same:
        return list(texts)
    changed: Mapping[str, str] = {text: change(text) for text in set(texts)}
    return [changed[text] for text in texts]


def _told(column: Iterable[object] | None, unknown: frozenset[Any]) -> Sequence[str] | None:
    """The column as texts; None if it tells nothing."""
    cells = () if column is None else tuple(column)
    if all(cell in unknown for cell in cells):
        return None
    return cells if set(map(type, cells)) <= {str} else [str(cell) for cell in cells]  # type: ignore[return-value]
