"""Documents to arcs: mentions, attributes, candidate antecedents, and which arcs gold allows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, Pin
from engine.data.plain_text import tokenised
from engine.features.coreference import templates as named
from engine.features.coreference.attributes import MentionTable, describe
from engine.features.coreference.languages import load as load_language
from engine.features.coreference.mentions import TokenSpan, extract, given_spans, in_order
from engine.features.coreference.pairs import build_arcs
from engine.features.coreference.plain_text import tagged
from engine.features.coreference.templates import compile_templates
from engine.learners.laso.arrays import TABLE, ClusterTemplates, TreeInstance
from engine.learners.laso.learner import score_arcs
from engine.structures.base import Infeasible
from engine.tasks.coreference.settings import CoreferenceSettings

_STATED: Final = {"PROP": "N", "NOM": "C", "PRON": "P"}


@dataclass(frozen=True)
class Templates:
    """Names of the templates in use."""

    root: tuple[str, ...] = named.ROOT_TEMPLATES
    pair: tuple[str, ...] = named.PAIR_TEMPLATES
    cluster: tuple[str, ...] = named.CLUSTER_TEMPLATES

    @classmethod
    def read(cls, path: str | None) -> Templates:
        if path is None:
            return cls()
        try:
            raw = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls.from_json(raw["templates"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"not a file of feature templates ({error})", file=path) from error

    @classmethod
    def from_json(cls, raw: Mapping[str, Sequence[str]]) -> Templates:
        return cls(named.check(raw["root"], "a"), named.check(raw["pair"], "abp"), named.check(raw["cluster"], "acfl"))

    def to_json(self) -> dict[str, list[str]]:
        return {"root": list(self.root), "pair": list(self.pair), "cluster": list(self.cluster)}


@dataclass(frozen=True, eq=False)
class State:
    """What a coreference model knows."""

    weights: NDArray[np.float64] = field(repr=False)
    templates: Templates
    singletons: bool
    """Whether clusters of one are part of the output: decided from the training data."""
    gender: Mapping[str, str] = field(default_factory=dict, repr=False)
    history: Sequence[Mapping[str, Any]] = field(default_factory=list, repr=False)


@dataclass(frozen=True, eq=False)
class Prepared:
    """One document, ready for search."""

    document: Document
    spans: tuple[TokenSpan, ...]
    table: MentionTable
    arcs: TreeInstance
    """Without rows of features where the scores are `known`."""
    known: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    """Weights and the local scores of all arcs under them, if it was prepared for one model."""
    gold: NDArray[np.int64]
    """Gold cluster of each mention, from 1; 0 for none. The root has none."""
    together: NDArray[np.int64]
    apart: tuple[tuple[int, int], ...]

    def chars(self, mention: int) -> tuple[int, int]:
        """Characters of a mention (from 1)."""
        return self.document.char_range(*self.spans[mention - 1])

    def scored_by(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Local scores of all arcs."""
        if self.known is not None and self.known[0] is weights:
            return self.known[1]
        return score_arcs(weights, self.arcs)


def cluster_templates(settings: CoreferenceSettings, templates: Templates) -> ClusterTemplates:
    if settings.features == "local":
        return ClusterTemplates()
    compiled = compile_templates(templates.cluster)
    return ClusterTemplates(compiled.sources, compiled.columns, compiled.seeds)


def prepare(
    document: Document,
    settings: CoreferenceSettings,
    templates: Templates,
    gender: Mapping[str, str],
    *,
    pins: Sequence[Pin] = (),
    weights: NDArray[np.float64] | None = None,
) -> Prepared:
    """Mentions and arcs of a document; pinned spans take part even if nothing proposed them.

    Training needs the features of every arc; a model that is done learning gives its weights and gets scores, which
    takes a fraction of the time and the memory.
    """
    language = load_language(settings.language)
    given: dict[TokenSpan, tuple[str, str]] = {}
    if settings.mentions == "gold":
        document = tokenised(document)
        spans = given_spans(document, document.gold.mentions)
        for mention in document.gold.mentions:
            # Of given mentions only what an annotator of mentions would know: the entity type and the form,
            # never the chain that the source lists beside them.
            stated = _STATED.get(str(mention.extra.get("kind", "")), "")
            if mention.type or stated:
                given[document.token_range(*mention.span)] = (mention.type or "", stated)
    else:
        document = tagged(document, settings.language)
        spans = extract(document, language)
    fixed = [pin for pin in pins if isinstance(pin, ClusterPin)]
    for pin in fixed:
        for start, end in (pin.first, pin.second):
            span = document.token_range(start, end)
            if span[0] >= span[1]:
                raise InputError(f"a pin of document {document.id!r} names [{start}, {end}), where there is no word")
            spans.append(span)
    spans = in_order(spans)
    table = describe(document, spans, language, gender_of=gender, given=given)
    position = {span: number for number, span in enumerate(spans, 1)}
    together, apart, extra = _resolve(document, fixed, position)
    arcs = build_arcs(
        table,
        compile_templates(templates.root),
        compile_templates(templates.pair),
        size=TABLE,
        window=settings.window,
        extra=extra,
        weights=weights,
    )
    gold = gold_clusters(document, position)
    return Prepared(
        document,
        tuple(spans),
        table,
        TreeInstance(
            arcs.n,
            arcs.offsets,
            arcs.heads,
            arcs.rows,
            right_arcs(gold, arcs.offsets, arcs.heads),
            arcs.bits,
            arcs.codes,
            arcs.facts,
        ),
        None if weights is None else (weights, arcs.scores),
        gold,
        together,
        apart,
    )


def gold_clusters(document: Document, position: Mapping[TokenSpan, int]) -> NDArray[np.int64]:
    gold = np.zeros(len(position) + 1, dtype=np.int64)
    layer = document.gold
    for number, cluster in enumerate(layer.clusters, 1):
        for mention in cluster:
            at = position.get(document.token_range(*layer.mentions[mention].span))
            if at is not None:
                gold[at] = number
    return gold


def right_arcs(gold: NDArray[np.int64], offsets: NDArray[np.int64], heads: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Arcs within a gold cluster; the root's arc where a mention has none (the paper's constrained antecedents)."""
    dependents = np.repeat(np.arange(1, len(offsets)), np.diff(offsets))
    right = (heads > 0) & (gold[dependents] > 0) & (gold[heads] == gold[dependents])
    linked = np.zeros(len(offsets), dtype=np.bool_)
    linked[dependents[right]] = True
    right[offsets[:-1]] = ~linked[1:]
    return right


def _resolve(
    document: Document, pins: Sequence[ClusterPin], position: Mapping[TokenSpan, int]
) -> tuple[NDArray[np.int64], tuple[tuple[int, int], ...], list[tuple[int, int]]]:
    """Pins as the search reads them: an earlier mention to join, pairs to keep apart; closed under must-link."""
    group = list(range(len(position) + 1))

    def find(mention: int) -> int:
        while group[mention] != mention:
            mention = group[mention]
        return mention

    def at(span: tuple[int, int]) -> int:
        return position[document.token_range(*span)]

    for pin in pins:
        if pin.holds:
            a, b = find(at(pin.first)), find(at(pin.second))
            group[max(a, b)] = min(a, b)
    members: dict[int, list[int]] = {}
    for mention in range(1, len(group)):
        members.setdefault(find(mention), []).append(mention)
    together = np.zeros(len(group), dtype=np.int64)
    extra = []
    for same in members.values():
        for earlier, later in pairwise(same):
            together[later] = earlier
            extra.append((earlier, later))
    apart: set[tuple[int, int]] = set()
    for pin in pins:
        if not pin.holds:
            a, b = find(at(pin.first)), find(at(pin.second))
            if a == b:
                raise Infeasible(
                    f"two mentions of document {document.id!r} are pinned together and apart:"
                    f" {document.text[slice(*pin.first)]!r} and {document.text[slice(*pin.second)]!r}"
                )
            apart.update((min(x, y), max(x, y)) for x in members[a] for y in members[b])
    return together, tuple(sorted(apart)), extra


def read_gender(paths: Sequence[Path]) -> dict[str, str]:
    """Word -> male, female, neutral or plural, from files of two columns (may be .gz)."""
    words: dict[str, str] = {}
    for path in paths:
        if not path.is_file():
            raise InputError("there is no such gender list", file=path)
        opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
        with opened as lines:
            for number, line in enumerate(lines, 1):
                cells = line.rstrip("\n").split("\t")
                if len(cells) < 2 or cells[1] not in ("male", "female", "neutral", "plural"):
                    raise InputError(
                        "expected a word, a tab, and male, female, neutral or plural", file=path, line=number
                    )
                words[cells[0].lower()] = cells[1]
    return words


def has_singletons(documents: Sequence[Document]) -> bool:
    """Whether the annotation marks mentions that nothing else refers to."""
    return any(len(cluster) == 1 for document in documents for cluster in document.gold.clusters)


def clusters_of(heads: NDArray[np.int32]) -> list[list[int]]:
    """Clusters of mentions (from 1) of a tree, in order of their first mention."""
    at: dict[int, int] = {}
    clusters: list[list[int]] = []
    for mention, head in enumerate(heads.tolist(), 1):
        if head == 0:
            at[mention] = len(clusters)
            clusters.append([mention])
        else:
            at[mention] = at[head]
            clusters[at[head]].append(mention)
    return clusters


def key_of(layer: Layer) -> list[list[tuple[int, int]]]:
    """Clusters of a layer as character spans."""
    return [[layer.mentions[mention].span for mention in cluster] for cluster in layer.clusters]
