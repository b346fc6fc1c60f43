"""Independent decisions without pair features: gradients of a softmax over the candidates of each mention, and the best
candidate of each."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Int, Ints
from engine.hashing import mix
from engine.kernels import inlined, kernel
from engine.learners.sgtb.corpus import Answers, Corpus
from engine.learners.sgtb.points import LOSS, N_POINTS, Gradients
from engine.learners.sgtb.pools import add_trees, find, take_place
from engine.learners.sgtb.search import Data, Memory
from engine.structures.beam import NIL_ROW, log_total


@inlined
def alone(m: Int, data: Data, memory: Memory) -> int:
    """The position in the cache of the up-to-date scores of a mention's candidates, independent of other decisions."""
    first, last = data.row_offsets[m], data.row_offsets[m + 1]
    n, cache = last - first, memory.cache
    key = mix(np.uint64(1), np.uint64(m + 1)) | np.uint64(1)
    at = find(cache.keys, key)
    if cache.keys[at] == 0:
        take_place(cache, key, at, n)
    block = cache.starts[at]
    cache.versions[at] = add_trees(
        cache.scores[block : block + n],
        data.codes[first:last],
        cache.codes[block : block + n],
        memory.forest,
        cache.versions[at],
    )
    return int(block)


@kernel
def remember(data: Data, memory: Memory, scores: Floats) -> None:
    """Store given scores where decoding looks up those of independent mentions."""
    for m in range(len(data.row_offsets) - 1):
        first, last = data.row_offsets[m], data.row_offsets[m + 1]
        block = alone(m, data, memory)
        memory.cache.scores[block : block + last - first] = scores[first:last]


@kernel
def local_gradients(documents: Ints, corpus: Corpus, memory: Memory, out: Gradients) -> None:
    """Gradient points of all candidates of mentions whose gold is among them."""
    data, scores = corpus.data, memory.cache.scores
    n_out = 0
    for i in range(len(documents)):
        d = documents[i]
        started = n_out
        loss = 0.0
        for m in range(corpus.document_offsets[d], corpus.document_offsets[d + 1]):
            first, last = data.row_offsets[m], data.row_offsets[m + 1]
            gold = data.gold[m]
            if gold < 0:
                continue
            block = alone(m, data, memory)
            log_z = log_total(scores[block : block + last - first])
            loss += log_z - scores[block + gold - first]
            for r in range(first, last):
                out.rows[n_out] = r
                out.residuals[n_out] = (1.0 if r == gold else 0.0) - np.exp(scores[block + r - first] - log_z)
                n_out += 1
        out.counts[i, N_POINTS] = n_out - started
        out.counts[i, LOSS] = loss


@kernel
def local_decode(corpus: Corpus, memory: Memory, nil: Floats, answers: Answers) -> None:
    """The best candidate of every mention by itself, or declining; probabilities are relative to the mention."""
    data, scores, chosen = corpus.data, memory.cache.scores, answers.chosen
    for d in range(len(corpus.document_offsets) - 1):
        for m in range(corpus.document_offsets[d], corpus.document_offsets[d + 1]):
            first, last = data.row_offsets[m], data.row_offsets[m + 1]
            block = alone(m, data, memory)
            together = log_total(scores[block : block + last - first]) if last > first else 0.0
            top = nil[m] + together if data.nil_allowed[m] else -np.inf
            chosen[m] = NIL_ROW
            log_z = top
            for r in range(first, last):
                if not data.allowed[r]:
                    continue
                score = scores[block + r - first]
                log_z = np.logaddexp(log_z, score)
                # Among equal scores the earlier candidate wins, and any candidate wins against declining.
                if score > top or (score == top and chosen[m] == NIL_ROW):
                    top = score
                    chosen[m] = r
            answers.thresholds[m] = top - together
            answers.confidence[m] = np.exp(top - log_z)
            answers.totals[d] += top
