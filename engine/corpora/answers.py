"""Predictions from a file, matched by document id with documents that have gold: one layer for each.

Spans are positions in the text. Different tokens, mentions whose words do not match the text at their position, or gold
itself presented as predictions would silently lead to meaningless scores, so all of these are refused; so are scores
on which nothing has been decided yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engine.corpora.io.texts import UNKNOWN
from engine.corpora.records.offsets import check_surface
from engine.corpora.scores.records import is_scored
from engine.data.document import GOLD, Document, Layer
from engine.data.errors import InputError


def answers(
    gold: Sequence[Document], predicted: Sequence[Document], *, layer: str | None = None, file: Path | None = None
) -> dict[str, Layer]:
    """Document id -> predicted layer, for the documents of gold that the predictions have.

    Predictions are in the gold layer unless `layer` names another.
    """
    right = {document.id: document for document in gold}
    found: dict[str, Layer] = {}
    asked = Answers(layer, file)
    for document in predicted:
        if document.id in found:
            asked.refuse_second(document)
        if document.id in right:
            found[document.id] = asked.layer_of(right[document.id], document)
    asked.check()
    return found


def matched(
    gold: Sequence[Document], predicted: Sequence[Document], *, layer: str | None = None, file: Path | None = None
) -> list[Layer]:
    """The predicted layer of every gold document; InputError if one has none."""
    layers = answers(gold, predicted, layer=layer, file=file)
    missing = [document.id for document in gold if document.id not in layers]
    if missing:
        raise no_prediction(missing[0], len(missing), file)
    return [layers[document.id] for document in gold]


def no_prediction(id: str, n_missing: int, file: Path | None) -> InputError:
    """The error for the first document without a prediction."""
    return InputError(
        f"there is no prediction for document {id!r} ({n_missing} missing in all); predictions are matched by"
        " document id",
        file=file,
    )


class Answers:
    """Takes predictions one after the other, and checks each against its gold document."""

    def __init__(self, layer: str | None, file: Path | None) -> None:
        self.layer, self.file = layer, file
        self._beside: set[str] = set()
        self._copied = True
        self._undecided, self._decides = "", False
        """A document whose record has scores and does not say at what bias they were decided; whether anything is
        decided in any document."""

    def layer_of(self, gold: Document, predicted: Document) -> Layer:
        """The predicted layer of the document."""
        if self.layer is not None and self.layer not in predicted.layers:
            raise InputError(f"document {predicted.id!r} has no layer {self.layer!r}", file=self.file)
        if self.layer is None and GOLD not in predicted.layers and is_scored(predicted.extra):
            raise self._only_scores(predicted.id)
        _check_words(gold, predicted, self.file)
        found = predicted.layers[self.layer] if self.layer is not None else predicted.gold
        _check_places(gold, predicted, found, self.file)
        self._beside.update(set(predicted.layers) - {GOLD})
        self._copied &= found == gold.gold
        self._decides |= bool(found.clusters or found.relations or found.labels)
        self._decides |= any(mention.is_linked or mention.type for mention in found.mentions)
        if is_scored(predicted.extra) and "bias" not in predicted.extra:
            self._undecided = self._undecided or predicted.id
        return found

    def refuse_second(self, predicted: Document) -> NoReturn:
        raise InputError(f"there are two predictions for document {predicted.id!r}", file=self.file)

    def check(self) -> None:
        """Called after the last document: raise InputError if gold or plain scores were taken for predictions."""
        if self.layer is None and self._undecided and (self._copied or not self._decides):
            raise self._only_scores(self._undecided)
        if self.layer is None and self._beside and self._copied:
            raise InputError(
                f"its gold is the gold it would be scored against; the predictions are in layer {min(self._beside)!r}:"
                " name it with --layer, or predict without --layer",
                file=self.file,
            )

    def _only_scores(self, id: str) -> InputError:
        return InputError(
            f"document {id!r} has scores but no answers; take the file as scores (--scores)", file=self.file
        )


def _check_places(gold: Document, predicted: Document, layer: Layer, file: Path | None) -> None:
    """Check that every mention lies in the text of gold, and has the same words there as in its own file."""
    for i, mention in enumerate(layer.mentions):
        field = f"mentions[{i}]"
        if mention.end > len(gold.text):
            raise InputError(
                f"document {gold.id!r}: [{mention.start}, {mention.end}) ends after the text of gold"
                f" ({len(gold.text)} characters)",
                file=file,
                field=field,
            )
        said = mention.extra.get("text", predicted.surface(mention))
        if isinstance(said, str) and UNKNOWN not in said:
            try:
                check_surface(gold.text, mention.span, said, field)
            except InputError as error:
                raise InputError(f"document {gold.id!r}: {error.what}", file=file, field=field) from None


def _check_words(gold: Document, predicted: Document, file: Path | None) -> None:
    """Check that the tokens of both documents, if both have tokens, have the same positions."""
    if not gold.tokens or not predicted.tokens or gold.tokens == predicted.tokens:
        return
    pairs = zip(gold.tokens, predicted.tokens, strict=False)
    at = next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
    if at is None:
        counts = f"{len(predicted.tokens)} words here, {len(gold.tokens)} in gold"
        raise InputError(f"document {gold.id!r} has other words than gold: {counts}", file=file)
    here, there = predicted.words[at], gold.words[at]
    raise InputError(
        f"document {gold.id!r} has other words than gold: word {at + 1} is {here!r} here and {there!r} there", file=file
    )
