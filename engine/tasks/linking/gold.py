"""Gold links against rows: which rows an annotation allows, and exact counts along bias paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.metrics.linking import linked, titles_of
from engine.tasks.linking.state import Corpus
from engine.tuning.curve import Curve, merge_paths
from engine.tuning.path import bias_paths


class Gold:
    """Rows of a corpus that match gold: `matches[row]` lists the gold mentions the row would find."""

    def __init__(self, documents: Sequence[Document], corpus: Corpus) -> None:
        self.matches: dict[int, list[int]] = {}
        self.n_gold = 0
        offsets = corpus.candidates.row_offsets
        spans = corpus.characters
        for d, document in enumerate(documents):
            gold = linked(document.gold)
            rows = np.arange(offsets[d], offsets[d + 1])
            for mention in gold:
                number = self.n_gold
                self.n_gold += 1
                near = rows[(spans[rows, 0] < mention.end) & (mention.start < spans[rows, 1])]
                titles = titles_of(mention)
                for row in near:
                    if corpus.titles[row] in titles:
                        self.matches.setdefault(int(row), []).append(number)
        self.right = np.zeros(corpus.candidates.n_rows, dtype=np.bool_)
        self.right[list(self.matches)] = True
        self.target = self._targets(documents, corpus)

    def _targets(self, documents: Sequence[Document], corpus: Corpus) -> NDArray[np.bool_]:
        """Rows to learn: of those that find a gold mention, the ones whose span fits it best."""
        spans = corpus.characters
        mentions = [mention for document in documents for mention in linked(document.gold)]
        best: dict[int, tuple[float, list[int]]] = {}
        for row, found in self.matches.items():
            start, end = spans[row]
            for number in found:
                mention = mentions[number]
                common = min(end, mention.end) - max(start, mention.start)
                fit = common / (max(end, mention.end) - min(start, mention.start))
                if number not in best or fit > best[number][0]:
                    best[number] = fit, [row]
                elif fit == best[number][0]:
                    best[number][1].append(row)
        target = np.zeros(corpus.candidates.n_rows, dtype=np.bool_)
        for _, rows in best.values():
            target[rows] = True
        return target

    @property
    def reachable(self) -> float:
        """Share of the gold mentions that some candidate finds."""
        return len({g for found in self.matches.values() for g in found}) / max(1, self.n_gold)

    def found(self, rows: NDArray[np.int64]) -> int:
        """Gold mentions that these rows find, each once."""
        hits = rows[self.right[rows]]
        if not len(hits):
            return 0
        return len({g for row in hits for g in self.matches[int(row)]})


def corpus_curve(corpus: Corpus, gold: Gold, scores: NDArray[np.float64]) -> Curve:
    """Precision and recall of the corpus at every Nil bias, exactly."""
    paths = bias_paths(corpus.lattice, scores)
    correct = paths.sums(gold.right.astype(np.int64)) if len(scores) else np.zeros(len(paths.bias), dtype=np.int64)
    predicted = np.diff(paths.offsets)
    found = np.zeros(len(paths.bias), dtype=np.int64)
    for step in np.flatnonzero(correct):
        found[step] = gold.found(paths.parts[paths.offsets[step] : paths.offsets[step + 1]])
    return merge_paths(paths.document, paths.bias, np.stack([correct, found, predicted], axis=1), gold.n_gold)


def steady_bias(curve: Curve, slack: float = 0.004) -> float:
    """The middle of the widest stretch around the best F1 where F1 stays within `slack` of it.

    The maximum of a jagged curve says more of the sample than of the model; its surroundings say more of the model.
    """
    f = curve.f()
    best = curve.best_index()
    if f[best] <= 0.0:
        return 0.0
    low = high = best
    while low > 1 and f[low - 1] >= f[best] - slack:
        low -= 1
    while high + 1 < len(f) and f[high + 1] >= f[best] - slack:
        high += 1
    left, right = curve.middle(low), curve.middle(high)
    return float((left + right) / 2) if np.isfinite(left + right) else curve.best_bias()
