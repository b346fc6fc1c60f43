"""Corpora of the samples with something hostile in every field, and documents at the edge of what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.data.document import Document, Layer, Mention

PAYLOADS: Final = (
    '<img src="x" onerror="window.ran=1" data-payload>',
    "<script data-payload>window.ran=1</script>",
    '"><svg onload="window.ran=1" data-payload>',
    "[click](javascript:window.ran=1)",
    "![picture](http://outside.invalid/p.png)",
    "<iframe srcdoc='<script>parent.ran=1</script>' data-payload></iframe>",
    "$\\alpha$ :red[red] **bold** `code`",
    "<a href='http://outside.invalid/' data-payload>here</a>",
    "=HYPERLINK(1)",
    "{{7*7}} ${7*7} %s {0}",
    "\u202edesrever\u202c \u0000\u001b[31m".replace("\u0000", ""),
    "W" * 300,
)
"""What a browser must show as it is written. An element that came from one carries data-payload."""

_NAMES: Final = frozenset({"id", "sid", "entity", "type", "title", "label", "speaker", "e1", "e2", "topic", "name"})
"""Fields whose value is a name: the payload is put behind it, the same wherever the name comes again."""


class Poison:
    """Puts a payload behind every name, the same one each time, and at the end of every text."""

    def __init__(self) -> None:
        self._next = cycle(PAYLOADS)
        self._known: dict[str, str] = {}

    def name(self, value: str) -> str:
        if value not in self._known:
            self._known[value] = f"{value} {next(self._next)}" if value != "NIL" else value
        return self._known[value]

    def knows(self, value: str) -> bool:
        """Whether this name stood in what was poisoned so far."""
        return value in self._known

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        poisoned: dict[str, Any] = self._value("", record)
        payload = next(self._next)
        if isinstance(poisoned.get("text"), str):
            poisoned["text"] += f" {payload}"
        if isinstance(poisoned.get("tokens"), list) and all(isinstance(token, str) for token in poisoned["tokens"]):
            n = len(poisoned["tokens"])
            for key, column in poisoned.items():
                if isinstance(column, list) and len(column) == n and all(isinstance(one, str) for one in column):
                    poisoned[key] = [*column, payload if key == "tokens" else "X"]
        return poisoned

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._value(name, inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._value("label" if key == "relations" else "", inner) for inner in value]
        return self.name(value) if isinstance(value, str) and key in _NAMES else value


def poisoned(documents: Sequence[Document], poison: Poison) -> list[Document]:
    """The documents with a payload in every name and text; what they mean stays the same."""
    return [jsonl.document(poison.record(jsonl.record(document)), i + 1) for i, document in enumerate(documents)]


def degenerate() -> list[Document]:
    """Nothing in them, too much in them, or all of it the same."""
    long = Document.from_words("long", [["word"] * 100] * 100)
    alone = Document.from_words("one word", [["Ada"]])
    return [
        Document.from_words("no words", []),
        Document.from_words("only a sign", [["…"]]),
        alone.with_layer("gold", Layer((Mention(0, 3, type="PER", entity="Ada"),), clusters=((0,),))),
        Document.from_words("no mentions", [["Nothing", "here", "is", "marked", "."]]).with_layer("gold", Layer(())),
        Document.from_words("the same word", [["Ada"] * 40]).with_layer(
            "gold", Layer(tuple(Mention(4 * i, 4 * i + 3, type="PER", entity="Ada") for i in range(40)))
        ),
        long,
    ]
