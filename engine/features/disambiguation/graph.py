"""Features of the link graph that use no labels and no decisions: how well a candidate fits what the others might be.

Each mention spreads one unit of weight over its candidates (by in-links); a candidate collects the weight of the
candidates of other surfaces that link to it. Strictly local feature sets leave these out, since they look at other
mentions' candidates; the structured learners look at their decisions instead.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.features.disambiguation.local import Matrix, Named, lead, shares
from engine.features.disambiguation.table import Table

_NAMES = (
    ("linked mentions", "Share of the other mentions that have a candidate linked to this one."),
    ("linked weight", "Weight of the linked candidates of other mentions, per mention."),
    ("linked best", "Weight of the best linked candidate of each other mention, per mention."),
    ("linked sure", "Share of the other mentions with one candidate whose candidate is linked."),
    ("settled weight", "Linked weight after the weights were spread along the links three times."),
    ("links", "Linked candidates in the document (log)."),
    ("linked rate", "Highest rate nearby of an entity linked to this one."),
    ("linked rate mean", "Mean over other mentions of the best rate nearby of a linked candidate."),
)


def graph_features(table: Table, entity_rate: Matrix) -> tuple[list[Named], Matrix]:
    """Names and values of the graph columns; `entity_rate` says how often each row's entity was right nearby."""
    surfaces = {name: i for i, name in enumerate(dict.fromkeys(table.surfaces))}
    surface = np.array([surfaces[name] for name in table.surfaces], dtype=np.int64)
    start = shares(np.log1p(table.in_count) ** 2 + np.float32(1e-3), table.row_offsets)
    rows = _collect(
        table.document_offsets,
        table.row_offsets,
        surface,
        table.slot.astype(np.int64),
        table.slot_offsets,
        table.link_offsets,
        table.links,
        start,
        entity_rate,
    )
    names: list[Named] = []
    columns = []
    for i, (name, help) in enumerate(_NAMES):
        names += [Named(name, "graph", help), Named(f"{name}, lead", "graph", f"{help} Lead over the best other.")]
        column = np.ascontiguousarray(rows[:, i])
        columns += [column, lead(column, table.row_offsets)]
    return names, np.stack(columns, axis=1)


@njit(cache=True, nogil=True)
def _collect(document_offsets, row_offsets, surface, slot, slot_offsets, link_offsets, links, start, rate):
    out = np.zeros((len(slot), 8), dtype=np.float32)
    for d in range(len(document_offsets) - 1):
        m0, m1 = document_offsets[d], document_offsets[d + 1]
        n_slots = slot_offsets[d + 1] - slot_offsets[d]
        base = slot_offsets[d]
        # Repeats of a surface would count one opinion many times: the first mention of each surface speaks.
        n = m1 - m0
        speaks = np.zeros(n, dtype=np.bool_)
        n_speaking = 0
        n_sure = 0
        for i in range(n):
            speaks[i] = True
            for j in range(i):
                if surface[m0 + i] == surface[m0 + j]:
                    speaks[i] = False
                    break
            if speaks[i]:
                n_speaking += 1
                if row_offsets[m0 + i + 1] - row_offsets[m0 + i] == 1:
                    n_sure += 1
        r0, r1 = row_offsets[m0], row_offsets[m1]
        # Which rows of speaking mentions hold each slot.
        holders = np.zeros(n_slots + 1, dtype=np.int64)
        for i in range(n):
            if speaks[i]:
                for r in range(row_offsets[m0 + i], row_offsets[m0 + i + 1]):
                    holders[slot[r] + 1] += 1
        for s in range(n_slots):
            holders[s + 1] += holders[s]
        at = holders[:-1].copy()
        held_row = np.zeros(holders[n_slots], dtype=np.int64)
        held_by = np.zeros(holders[n_slots], dtype=np.int64)
        for i in range(n):
            if speaks[i]:
                for r in range(row_offsets[m0 + i], row_offsets[m0 + i + 1]):
                    held_row[at[slot[r]]] = r
                    held_by[at[slot[r]]] = i
                    at[slot[r]] += 1
        weight = start[r0:r1].copy()
        settled = start[r0:r1].copy()
        best = np.zeros(n, dtype=np.float64)
        best_rate = np.zeros(n, dtype=np.float64)
        stamp = np.full(n, -1, dtype=np.int64)
        touched = np.zeros(n, dtype=np.int64)
        for pass_ in range(4):
            for i in range(n):
                if not speaks[i] and pass_ < 3:
                    continue
                total = 0.0
                for r in range(row_offsets[m0 + i], row_offsets[m0 + i + 1]):
                    s = slot[r]
                    n_touched = 0
                    n_links = 0
                    spread = 0.0
                    for k in range(link_offsets[base + s], link_offsets[base + s + 1]):
                        t = links[k]
                        n_links += 1
                        for h in range(holders[t], holders[t + 1]):
                            j = held_by[h]
                            if surface[m0 + j] == surface[m0 + i]:
                                continue
                            q = held_row[h]
                            spread += settled[q - r0]
                            if stamp[j] != r * 4 + pass_:
                                stamp[j] = r * 4 + pass_
                                touched[n_touched] = j
                                n_touched += 1
                                best[j] = 0.0
                                best_rate[j] = 0.0
                            if start[q] > best[j]:
                                best[j] = start[q]
                            if rate[q] > best_rate[j]:
                                best_rate[j] = rate[q]
                            if pass_ == 0:
                                out[r, 1] += start[q]
                    others = max(1, n_speaking - 1)
                    if pass_ < 3:
                        weight[r - r0] = start[r] * (0.05 + spread / others)
                        total += weight[r - r0]
                    else:
                        out[r, 4] = spread / others
                        out[r, 1] = 0.0
                        for k in range(link_offsets[base + s], link_offsets[base + s + 1]):
                            for h in range(holders[links[k]], holders[links[k] + 1]):
                                if surface[m0 + held_by[h]] != surface[m0 + i]:
                                    out[r, 1] += start[held_row[h]]
                        out[r, 1] /= others
                        out[r, 0] = n_touched / others
                        out[r, 5] = np.log1p(n_links)
                        sure = 0
                        for k in range(n_touched):
                            j = touched[k]
                            out[r, 2] += best[j] / others
                            out[r, 7] += best_rate[j] / others
                            if best_rate[j] > out[r, 6]:
                                out[r, 6] = best_rate[j]
                            if row_offsets[m0 + j + 1] - row_offsets[m0 + j] == 1:
                                sure += 1
                        out[r, 3] = sure / max(1, n_sure)
                if pass_ < 3 and total > 0:
                    for r in range(row_offsets[m0 + i], row_offsets[m0 + i + 1]):
                        weight[r - r0] /= total
            if pass_ < 3:
                settled[:] = weight
    return out
