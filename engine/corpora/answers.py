"""What a file of predictions says of documents whose gold is known: one layer for each, matched by document id.

Spans are places in the text, so words that stand elsewhere, or gold itself under the name of predictions, would be
scored without a word and mean nothing: both are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
        beside.update(set(document.layers) - {GOLD})
    copied = all(one == right[id].gold for id, one in found.items())
    if layer is None and beside and copied:
        raise InputError(
            f"its gold is the gold it would be scored against; the predictions are in layer {min(beside)!r}:"
            " name it with --layer, or predict without --layer",
            file=file,
        )
    return found


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
