"""Features of the link graph, without labels or decisions: how well a candidate fits the candidates of other mentions.

Each mention spreads one unit of weight over its candidates (by in-links); a candidate collects the weight of the
candidates of other surfaces that link to it. Strictly local feature sets leave these out, since they depend on other
mentions' candidates; the structured learners use the decisions on other mentions instead.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints, ShortInts, Singles
from engine.features.disambiguation.local import Named, lead, shares
from engine.features.disambiguation.table import Table
from engine.kernels import kernel

_NAMES: Final = (
    ("linked mentions", "Share of the other mentions that have a candidate linked to this one."),
    ("linked weight", "Weight of the linked candidates of other mentions, per mention."),
    ("linked best", "Weight of the best linked candidate of each other mention, per mention."),
    ("linked sure", "Share of the other mentions with one candidate whose candidate is linked."),
    ("settled weight", "Linked weight after the weights were spread along the links three times."),
    ("links", "Linked candidates in the document (log)."),
    ("linked rate", "Highest rate nearby of an entity linked to this one."),
    ("linked rate mean", "Mean over other mentions of the best rate nearby of a linked candidate."),
)
_MENTIONS, _WEIGHT, _BEST, _SURE, _SETTLED, _LINKS, _RATE, _RATE_MEAN = range(len(_NAMES))

_SPREADS: Final = 3
_FLOOR: Final = 0.05
"""The share of its weight that a candidate keeps if nothing links to it."""


class Graph(NamedTuple):
    """Candidates and the links between their entities.

    Per row: slot, weight (a unit per mention, by in-links) and rate; per mention: a number that equal surfaces share.
    Links lead from a document's slots to others of its slots.
    """

    row_offsets: Ints
    surface: Ints
    slot: Ints
    slot_offsets: Ints
    link_offsets: Ints
    links: ShortInts
    weight: Singles
    rate: Singles


class Heard(NamedTuple):
    """The candidates of a document that count, by slot: rows[offsets[s] : offsets[s + 1]] have slot s.

    `mentions` holds the mention of each of these rows, `speaks` flags the mentions that count. `others` is the number
    of these apart from one's own, and `sure` the number with a single candidate; both are at least 1.
    """

    speaks: Flags
    offsets: Ints
    rows: Ints
    mentions: Ints
    others: int
    sure: int


def graph_features(table: Table, entity_rate: Singles) -> tuple[list[Named], Singles]:
    """Names and values of the graph columns; `entity_rate` is how often each row's entity was right nearby."""
    surfaces = {name: i for i, name in enumerate(dict.fromkeys(table.surfaces))}
    graph = Graph(
        row_offsets=table.row_offsets,
        surface=np.array([surfaces[name] for name in table.surfaces], dtype=np.int64),
        slot=table.slot.astype(np.int64),
        slot_offsets=table.slot_offsets,
        link_offsets=table.link_offsets,
        links=table.links,
        weight=shares(np.log1p(table.in_count) ** 2 + np.float32(1e-3), table.row_offsets),
        rate=entity_rate,
    )
    rows = _collect(table.document_offsets, graph)
    names: list[Named] = []
    columns = []
    for i, (name, help) in enumerate(_NAMES):
        names += [Named(name, "graph", help), Named(f"{name}, lead", "graph", f"{help} Lead over the best other.")]
        column = np.ascontiguousarray(rows[:, i])
        columns += [column, lead(column, table.row_offsets)]
    return names, np.stack(columns, axis=1)


@kernel
def _collect(document_offsets: Ints, graph: Graph) -> Singles:
    """All columns of all rows."""
    out = np.zeros((len(graph.slot), len(_NAMES)), dtype=np.float32)
    for d in range(len(document_offsets) - 1):
        first, last = document_offsets[d], document_offsets[d + 1]
        heard = _heard(graph, d, first, last)
        settled = _settled(graph, heard, d, first, last)
        _describe(graph, heard, settled, d, first, last, out)
    return out


@kernel
def _heard(graph: Graph, d: Int, first: Int, last: Int) -> Heard:
    """The candidates of mentions [first, last) that count: only those of the first mention of each surface, since
    repeated surfaces would count the same evidence several times."""
    n_slots = graph.slot_offsets[d + 1] - graph.slot_offsets[d]
    speaks = np.ones(last - first, dtype=np.bool_)
    offsets = np.zeros(n_slots + 1, dtype=np.int64)
    n_speaking = 0
    n_sure = 0
    for m in range(first, last):
        for earlier in range(first, m):
            if graph.surface[earlier] == graph.surface[m]:
                speaks[m - first] = False
                break
        if speaks[m - first]:
            n_speaking += 1
            n_sure += graph.row_offsets[m + 1] - graph.row_offsets[m] == 1
            for r in range(graph.row_offsets[m], graph.row_offsets[m + 1]):
                offsets[graph.slot[r] + 1] += 1
    for s in range(n_slots):
        offsets[s + 1] += offsets[s]
    at = offsets[:-1].copy()
    rows = np.zeros(offsets[n_slots], dtype=np.int64)
    mentions = np.zeros(offsets[n_slots], dtype=np.int64)
    for m in range(first, last):
        if speaks[m - first]:
            for r in range(graph.row_offsets[m], graph.row_offsets[m + 1]):
                place = at[graph.slot[r]]
                rows[place] = r
                mentions[place] = m
                at[graph.slot[r]] += 1
    return Heard(speaks, offsets, rows, mentions, max(1, n_speaking - 1), max(1, n_sure))


@kernel
def _settled(graph: Graph, heard: Heard, d: Int, first: Int, last: Int) -> Singles:
    """The weights of the document's rows after spreading them along the links: in each round, a candidate's weight is
    multiplied by the weight that links to it, and normalised within its mention again."""
    before = graph.row_offsets[first]
    settled = graph.weight[before : graph.row_offsets[last]].copy()
    spread = settled.copy()
    for _ in range(_SPREADS):
        for m in range(first, last):
            if not heard.speaks[m - first]:
                continue
            total = 0.0
            for r in range(graph.row_offsets[m], graph.row_offsets[m + 1]):
                linked = _linked_weight(graph, heard, settled, d, m, r, before)
                spread[r - before] = graph.weight[r] * (_FLOOR + linked / heard.others)
                total += spread[r - before]
            if total > 0:
                for r in range(graph.row_offsets[m], graph.row_offsets[m + 1]):
                    spread[r - before] /= total
        for at in range(len(spread)):
            settled[at] = spread[at]
    return settled


@kernel
def _linked_weight(graph: Graph, heard: Heard, settled: Singles, d: Int, m: Int, r: Int, before: Int) -> float:
    """The settled weight of the candidates of other surfaces that are linked to a row."""
    linked = 0.0
    source = graph.slot_offsets[d] + graph.slot[r]
    for k in range(graph.link_offsets[source], graph.link_offsets[source + 1]):
        target = graph.links[k]
        for h in range(heard.offsets[target], heard.offsets[target + 1]):
            if graph.surface[heard.mentions[h]] != graph.surface[m]:
                linked += settled[heard.rows[h] - before]
    return linked


@kernel
def _describe(graph: Graph, heard: Heard, settled: Singles, d: Int, first: Int, last: Int, out: Singles) -> None:
    """Write the columns of all rows of mentions [first, last)."""
    # The best candidate of each linked mention; `met` is the row for which it was last reset.
    best = np.zeros(last - first, dtype=np.float64)
    best_rate = np.zeros(last - first, dtype=np.float64)
    met = np.full(last - first, -1, dtype=np.int64)
    linked = np.zeros(last - first, dtype=np.int64)
    for m in range(first, last):
        for r in range(graph.row_offsets[m], graph.row_offsets[m + 1]):
            source = graph.slot_offsets[d] + graph.slot[r]
            n_linked = 0
            for k in range(graph.link_offsets[source], graph.link_offsets[source + 1]):
                target = graph.links[k]
                for h in range(heard.offsets[target], heard.offsets[target + 1]):
                    other, q = heard.mentions[h] - first, heard.rows[h]
                    if graph.surface[first + other] == graph.surface[m]:
                        continue
                    if met[other] != r:
                        met[other] = r
                        linked[n_linked] = other
                        n_linked += 1
                        best[other] = 0.0
                        best_rate[other] = 0.0
                    best[other] = max(best[other], graph.weight[q])
                    best_rate[other] = max(best_rate[other], graph.rate[q])
                    out[r, _WEIGHT] += graph.weight[q]
            out[r, _MENTIONS] = n_linked / heard.others
            out[r, _WEIGHT] /= heard.others
            out[r, _SETTLED] = _linked_weight(graph, heard, settled, d, m, r, graph.row_offsets[first]) / heard.others
            out[r, _LINKS] = np.log1p(graph.link_offsets[source + 1] - graph.link_offsets[source])
            _sum_up(graph, heard, first, linked[:n_linked], best, best_rate, out[r])


@kernel
def _sum_up(
    graph: Graph, heard: Heard, first: Int, linked: Ints, best: Floats, best_rate: Floats, columns: Singles
) -> None:
    """The columns of one row that sum over the mentions linked to it."""
    n_sure = 0
    for other in linked:
        columns[_BEST] += best[other] / heard.others
        columns[_RATE_MEAN] += best_rate[other] / heard.others
        columns[_RATE] = max(columns[_RATE], best_rate[other])
        n_sure += graph.row_offsets[first + other + 1] - graph.row_offsets[first + other] == 1
    columns[_SURE] = n_sure / heard.sure
