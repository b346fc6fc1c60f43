"""Correcting chains link by link.

A chain is treated as links: each mention is linked to an earlier one of its chain, preferably one with which it also
corefers in the other layer, else to the last. Cutting a mention's link removes it, and everything linked to it, from
the chain; joining links it elsewhere. If no link is changed, the layer stays as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeAlias

from engine.data.document import Layer, Mention

Span: TypeAlias = tuple[int, int]


def earlier(layer: Layer) -> dict[Span, list[Span]]:
    """Span -> the spans of its chain before it, in order of the text."""
    found: dict[Span, list[Span]] = {}
    for cluster in layer.clusters:
        spans = sorted({layer.mentions[mention].span for mention in cluster})
        found |= {span: spans[:i] for i, span in enumerate(spans)}
    return found


def relinked(
    layer: Layer, other: Layer, *, cut: Collection[Span] = (), join: Mapping[Span, Span] | None = None
) -> Layer:
    """The layer with the links of some mentions cut, and others (mention -> earlier one) made instead of theirs.

    Mentions that end up alone become clusters of one if the layer has such clusters; otherwise they are dropped from
    the clusters.
    """
    mine, theirs = earlier(layer), earlier(other)
    alone = any(len(cluster) == 1 for cluster in layer.clusters)
    link: dict[Span, Span] = {}
    for span, before in mine.items():
        if before:
            agreed = [one for one in before if one in theirs.get(span, ())]
            link[span] = (agreed or before)[-1]
    link = {span: head for span, head in link.items() if span not in cut} | dict(join or {})
    spans = sorted({*mine, *link, *link.values()})
    chain = {span: [span] for span in spans}
    for span in spans:
        head = link.get(span)
        if head is not None and chain[head] is not chain[span]:
            chain[head] += chain[span]
            for moved in chain[span]:
                chain[moved] = chain[head]
    known = {mention.span for mention in layer.mentions}
    mentions = (*layer.mentions, *(Mention(*span) for span in spans if span not in known))
    place = {mention.span: i for i, mention in reversed(list(enumerate(mentions)))}
    chains = {id(found): found for found in chain.values()}.values()
    clusters = [tuple(sorted(place[span] for span in found)) for found in chains if alone or len(found) > 1]
    return replace(layer, mentions=mentions, clusters=tuple(sorted(clusters)))
