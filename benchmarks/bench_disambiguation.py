"""Disambiguation: the compiled search against the obvious one, the cost of an epoch as trees are added, full training.

    python -m benchmarks.bench_disambiguation            ratio and cost per epoch
    python -m benchmarks.bench_disambiguation --quick    the same on a few trees and the sample corpus
    python -m benchmarks.bench_disambiguation --full     also 250 trees of BSG and of BiBSG with dev checks

Needs ../shared/data/aida_ppr or $ESPALIER_DATA. Times are CPU seconds of this process, compilation not counted.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from benchmarks import naive_disambiguation as naive
from benchmarks.places import DATA, SAMPLES, parser
from engine.corpora import read
from engine.learners.sgtb.blocks import Block, Search
from engine.learners.sgtb.cache import FlatForest
from engine.learners.sgtb.columns import all_bins
from engine.learners.sgtb.learner import SGTB, SequenceBoosting
from engine.learners.trees.forest import fit_tree
from engine.tasks.disambiguation.scoring import prepare
from engine.tasks.disambiguation.settings import DisambiguationSettings
from engine.tasks.disambiguation.training import as_choices, learn_state

SUBSET = (400, 412)
"""Documents on which the obvious implementation is timed."""


def seconds(act, repeats: int = 1) -> float:
    """The best of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def grow(block: Block, bins, how: Search, n_trees: int, settings: SGTB, report: tuple[int, ...]) -> FlatForest:
    """Plain epochs over all documents, with the time of those in `report`."""
    forest, documents = FlatForest(), np.arange(block.choices.n_documents)
    for epoch in range(n_trees):
        start = time.process_time()
        points = block.points(documents, forest.arrays, epoch, how)
        searched = time.process_time()
        codes = np.hstack([block.choices.codes[points.rows], points.pooled])
        forest.add(fit_tree(codes, points.residuals, bins=bins, max_depth=3, min_leaf=5).scaled(settings.rate))
        if epoch in report:
            print(
                f"  epoch {epoch:3d}: search {searched - start:.3f} s, tree {time.process_time() - searched:.3f} s,"
                f" {len(points.rows):,} points"
            )
    return forest


def compare(choices, forest: FlatForest, how: Search) -> None:
    """The same documents, the same trees: the same points, and how long they take."""
    documents = np.arange(choices.n_documents)
    policy = how.policy
    expected: list[naive.Point] = []
    slow = seconds(
        lambda: expected.extend(
            p for d in documents for p in naive.points_of(choices, forest.trees, int(d), policy, how.width)
        )
    )
    # As in training: the block has met most prefixes before and lacks the last tree.
    arrays, before = forest.arrays, FlatForest(forest.trees[:-1]).arrays
    epoch = float("inf")
    for _ in range(5):
        block = Block(choices)
        block.points(documents, before, 0, how)
        start = time.process_time()
        found = block.points(documents, arrays, 1, how)
        epoch = min(epoch, time.process_time() - start)
    fresh = seconds(lambda: Block(choices).points(documents, arrays, 0, how), 3)
    ours = sorted(zip(found.rows.tolist(), found.residuals.tolist(), strict=True))
    theirs = sorted((p.row, p.residual) for p in expected)
    assert [row for row, _ in ours] == [row for row, _ in theirs], "the two do not visit the same points"
    assert np.allclose([r for _, r in ours], [r for _, r in theirs], atol=1e-9), "the gradients differ"
    print(
        f"{policy}, {len(documents)} documents, {len(forest.trees)} trees: obvious {slow:.2f} s,"
        f" next epoch {epoch * 1e3:.2f} ms ({slow / epoch:,.0f} x), nothing remembered {fresh * 1e3:.1f} ms"
        f" ({slow / fresh:,.0f} x); {len(ours):,} equal points"
    )


def train(choices, dev, bins, how: Search, n_trees: int) -> None:
    settings = SGTB(trees=n_trees, patience=100)
    start = time.process_time()
    learner = SequenceBoosting(settings, how, bins, dev)
    accuracy = [r.scores["accuracy"] for r in learner.rounds([choices])]
    print(
        f"{how.policy}: {n_trees} trees with {n_trees // settings.check_every} dev checks in"
        f" {time.process_time() - start:.1f} s; dev accuracy at best {100 * max(accuracy):.2f}"
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--full", action="store_true")
    args = options.parse_args()
    folder, ending = (SAMPLES / "disambiguation", "jsonl") if args.quick else (DATA / "aida_ppr", "jsonl.gz")
    if not folder.is_dir():
        sys.exit("there is no aida_ppr: set ESPALIER_DATA")
    documents, dev = (read(folder / f"{split}.{ending}") for split in ("train", "dev"))
    subset, n_trees, n_compared = ((0, 4), 12, 10) if args.quick else (SUBSET, 241, 50)
    settings = DisambiguationSettings()
    learn_state(documents[:5], settings, None, None, structured=True)
    start = time.process_time()
    state, ready = learn_state(documents, settings, None, None, structured=True)
    print(f"features of {len(documents)} training documents: {time.process_time() - start:.1f} s")
    choices = as_choices(ready)
    bins = all_bins(state.bins, choices.n_pooled)
    how = Search("gold-path", settings.beam)
    Block(choices.part(0, 3)).points(np.arange(3), FlatForest().arrays, 0, how)
    print("gold-path, all documents:")
    forest = grow(Block(choices), bins, how, n_trees, settings, (1, 10, 50, 100, 240))
    some = FlatForest(forest.trees[:n_compared])
    compare(choices.part(*subset), some, how)
    both = Search("bidirectional", settings.beam, settings.backward)
    compare(choices.part(*subset), some, both)
    if args.full:
        watched = as_choices(prepare(dev, state, settings, structured=True))
        train(choices, watched, state.bins, how, 250)
        train(choices, watched, state.bins, both, 250)
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
