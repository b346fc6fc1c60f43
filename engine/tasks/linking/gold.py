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
        self.by_document = np.array([len(linked(document.gold)) for document in documents], dtype=np.int64)
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
    return merge_paths(paths.document, paths.bias, np.stack([correct, found, predicted], axis=1), gold.by_document)


def steady_bias(curve: Curve) -> float:
    """The bias whose surroundings have the best F1.

    The maximum of a jagged curve says more of the sample than of the model. So F1 is smoothed over the stretch of the
    bias where it is within a tenth of its best; how wide that is depends on the scale of the learner's scores.
    """
    f = curve.f()
    if f.max() <= 0.0:
        return 0.0
    finite = np.isfinite(curve.bias)
    good = curve.bias[finite & (f >= 0.9 * f.max())]
    if len(good) < 3 or good[-1] <= good[0]:
        return curve.best_bias()
    grid = np.linspace(good[0], good[-1], 201)
    values = f[np.searchsorted(curve.bias, grid, side="right") - 1]
    steps = np.arange(-30, 31)
    weights = np.exp(-0.5 * (steps / 12.0) ** 2)
    smooth = np.convolve(values, weights, "same") / np.convolve(np.ones_like(values), weights, "same")
    return float(grid[np.argmax(smooth)])
