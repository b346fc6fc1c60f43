"""What a file of predictions says of documents whose gold is known: one layer for each, matched by document id.

Spans are places in the text, so words that stand elsewhere, mentions whose words are not those of their places, or gold
itself under the name of predictions, would be scored without a word and mean nothing: all are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.corpora.io.texts import UNKNOWN
from engine.corpora.scores.offsets import check_surface
from engine.data.document import GOLD, Document, Layer
from engine.data.errors import InputError


def answers(
    gold: Sequence[Document], predicted: Sequence[Document], *, layer: str | None = None, file: Path | None = None
) -> dict[str, Layer]:
    """Document id -> predicted layer, for the documents of gold that the predictions have.

    Predictions stand in the place of gold unless `layer` names another.
    """
    right = {document.id: document for document in gold}
    found: dict[str, Layer] = {}
    beside: set[str] = set()
    for document in predicted:
        if document.id in found:
            raise InputError(f"there are two predictions for document {document.id!r}", file=file)
        if document.id not in right:
            continue
        if layer is not None and layer not in document.layers:
            raise InputError(f"document {document.id!r} has no layer {layer!r}", file=file)
        _check_words(right[document.id], document, file)
        found[document.id] = document.layers[layer] if layer is not None else document.gold
        _check_places(right[document.id], document, found[document.id], file)
        beside.update(set(document.layers) - {GOLD})
    copied = all(one == right[id].gold for id, one in found.items())
    if layer is None and beside and copied:
        raise InputError(
            f"its gold is the gold it would be scored against; the predictions are in layer {min(beside)!r}:"
            " name it with --layer, or predict without --layer",
            file=file,
        )
    return found


def _check_places(gold: Document, predicted: Document, layer: Layer, file: Path | None) -> None:
    """Every mention lies in the text of gold, and has the words there that its own file says it has."""
    known = {(mention.span, mention.extra.get("text")) for mention in gold.gold.mentions}
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
        if isinstance(said, str) and UNKNOWN not in said and (mention.span, said) not in known:
            try:
                check_surface(gold.text, mention.span, said, field)
            except InputError as error:
                raise InputError(f"document {gold.id!r}: {error.what}", file=file, field=field) from None


def _check_words(gold: Document, predicted: Document, file: Path | None) -> None:
    """Words of both documents, where both have them, stand in the same places."""
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
