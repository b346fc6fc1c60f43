"""{"tokens", "e1", "e2", "e1_name", "e2_name", "relation", ...}: one sentence, one pair, one relation or "NA".

Two sources share it: human labels of all pairs of a sentence, and judgements ("label": yes, no, ...) of whether
the sentence expresses the relation. Order and further fields differ and are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from engine.corpora.records.fields import compose, pair, read_id, required, rest, words_of, write_id
from engine.corpora.records.spans import token_span
from engine.corpora.shapes import bag
from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention

NAME: Final = "sentential"
COMPACT: Final = False
KNOWN: Final = ("id", "tokens", "e1", "e2", "e1_name", "e2_name", "relation", "relations")
ALWAYS: Final = KNOWN[:-1]
NOTHING: Final = "NA"


def matches(record: dict[str, Any]) -> bool:
    return "tokens" in record and "e1" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, ALWAYS)
    words = words_of(record["tokens"], "tokens")
    bare = Document.from_words(read_id(record, position, extra), [words], shape=NAME, extra=extra)
    spans = [token_span(bare, 0, *pair(required(record, name, list), name), name) for name in ("e1", "e2")]
    relation = required(record, "relation", str)
    member = Member(0, 1)
    names = required(record, "e1_name", str), required(record, "e2_name", str)
    return replace(
        bare,
        bag=Bag(*names, (member,)),
        layers={
            GOLD: Layer(
                tuple(Mention(*span) for span in spans),
                relations=tuple(bag.own_relations(record, member, "")),
                labels=() if relation == NOTHING else (relation,),
            )
        },
    )


def holds(document: Document) -> bool:
    one = document.bag is not None and [(m.head, m.tail, m.extra) for m in document.bag.members] == [(0, 1, {})]
    gold = document.gold
    return one and len(gold.labels) <= 1 and NOTHING not in gold.labels and bag.holds(document)


def write(document: Document) -> dict[str, Any]:
    assert document.bag is not None
    values = write_id(document.id, document.extra)
    values["tokens"] = list(document.words)
    for name, mention in zip(("e1", "e2"), document.gold.mentions, strict=True):
        values[name] = list(document.token_range(mention.start, mention.end))
    values |= {"e1_name": document.bag.first, "e2_name": document.bag.second}
    values["relation"] = document.gold.labels[0] if document.gold.labels else NOTHING
    values["relations"] = bag.own_records(document, document.bag.members[0])
    return compose(values, document.extra, ALWAYS)
