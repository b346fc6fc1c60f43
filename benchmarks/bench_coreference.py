"""Coreference: scoring, decoding plus update, training; ratios are measured in the same run, in CPU seconds of one
thread.

python -m benchmarks.bench_coreference [--quick]           # scorer and decoder on made-up documents
python -m benchmarks.bench_coreference --scorer scorer.pl  # the official Perl scorer as peer
python -m benchmarks.bench_coreference --train FILE        # beam training on a CoNLL-2012 corpus, 25 iterations
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.naive_coreference import naive_scores
from benchmarks.places import parser
from engine.cli.results.score import score_files
from engine.corpora.io.coreference_column import read_clusters
from engine.learners.laso.arrays import TreeInstance
from engine.learners.laso.learner import LatentTrees, TreeSettings

TOKENS, DOCUMENTS, MENTIONS = 1200, 200, 300


def make_file(path: Path, documents: int, seed: int, noise: float) -> None:
    """Documents of 300 mentions; a response moves some mentions to other entities."""
    rng, moves = np.random.default_rng(7), np.random.default_rng(seed)
    with path.open("w") as out:
        for document in range(documents):
            tokens = np.sort(rng.choice(TOKENS, MENTIONS, replace=False))
            entities = rng.zipf(1.4, MENTIONS) % 90
            moved = moves.random(MENTIONS) < noise
            entities = np.where(moved, moves.integers(0, 120, MENTIONS), entities)
            cells = dict(zip(tokens.tolist(), entities.tolist(), strict=True))
            out.write(f"#begin document (d{document}); part 000\n")
            for token in range(TOKENS):
                cell = f"({cells[token]})" if token in cells else "-"
                out.write(f"d{document}\t0\t{token}\tword\t{cell}\n")
            out.write("#end document\n")


def cpu(act: object) -> float:
    """CPU seconds, children included."""
    before = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    act()  # type: ignore[operator]
    return time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def bench_scorer(scorer: Path | None, documents: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key, response = Path(folder) / "key.conll", Path(folder) / "response.conll"
        make_file(key, documents, 1, 0.0)
        make_file(response, documents, 2, 0.25)
        score_files(key, response)
        ours = min(cpu(lambda: score_files(key, response)) for _ in range(3))
        print(f"scoring {documents} documents, {documents * MENTIONS} mentions: {ours:.3f} s, with reading")
        if scorer is not None and shutil.which("perl"):
            command = ["perl", str(scorer), "all", str(key), str(response), "none"]
            peer = cpu(lambda: subprocess.run(command, check=True, capture_output=True))
            print(f"  official Perl scorer {peer:.1f} s: {peer / ours:.0f} x")

        def naive() -> None:
            keys, responses = read_clusters(key), read_clusters(response)
            for name, clusters in keys.items():
                naive_scores(clusters, responses[name])

        peer = cpu(naive)
        print(f"  naive Python scorer {peer:.1f} s: {peer / ours:.0f} x")


def make_instance(n: int, width: int, table: int, rng: np.random.Generator) -> TreeInstance:
    offsets = np.cumsum([0, *range(1, n + 1)]).astype(np.int64)
    heads = np.concatenate([np.arange(j) for j in range(1, n + 1)]).astype(np.int32)
    gold = np.concatenate([[0], rng.integers(1, n // 3, n)])
    dependents = np.repeat(np.arange(1, n + 1), np.arange(1, n + 1))
    right = (heads > 0) & (gold[heads] == gold[dependents])
    linked = np.zeros(n + 1, bool)
    linked[dependents[right]] = True
    right[offsets[:-1]] = ~linked[1:]
    # Features are skewed as in text: few are everywhere, most are rare.
    rows = (table * rng.random((len(heads), width)) ** 3).astype(np.int32) + 1
    return TreeInstance(
        n,
        offsets,
        heads,
        rows,
        right,
        np.zeros(n * (n - 1) // 2, np.uint8),
        np.ones((n + 1, 1), np.uint64),
        np.zeros((n + 1, 5), np.int32),
    )


def bench_decoder(documents: int, mentions: int, width: int = 60) -> None:
    """A pass over the documents, eight times each: it ends with the mean of all weights, which a corpus pays once."""
    rng = np.random.default_rng(0)
    instances = [make_instance(mentions, width, 1 << 20, rng) for _ in range(documents)] * 8
    pairs = sum(len(one.heads) for one in instances)
    for policy in ("baseline", "delayed-laso"):
        settings = TreeSettings(n_rounds=4)
        run = LatentTrees(policy, settings).rounds(instances)  # type: ignore[arg-type]
        next(run)
        seconds = min(cpu(lambda run=run: next(run)) for _ in range(3))
        print(f"{policy}: decoding plus update {pairs / seconds / 1e6:.2f} M pairs/s at {width} features a pair")


def bench_training(path: Path, mentions: str) -> None:
    from engine.corpora import read
    from engine.settings import with_values
    from engine.tasks.base import Resources
    from engine.tasks.coreference.task import Coreference

    task = Coreference()
    documents = read(path)
    settings = with_values(task.learner(None).settings, {"mentions": mentions, "history": "gold"})
    start = time.process_time()
    for one in task.rounds(documents, [], "delayed-laso", settings, Resources()):
        print(f"  iteration {one.index + 1}: {time.process_time() - start:.0f} s", end="\r")
    seconds = time.process_time() - start
    print(f"beam-20 training, non-local, {len(documents)} documents, 25 iterations: {seconds:.0f} s CPU")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--scorer", type=Path, help="scorer.pl of the official scorer")
    options.add_argument("--train", type=Path, help="CoNLL-2012 corpus to train on")
    options.add_argument("--mentions", choices=["gold", "predicted"], default="predicted")
    args = options.parse_args()
    bench_scorer(args.scorer, 5 if args.quick else DOCUMENTS)
    bench_decoder(*((2, 60) if args.quick else (12, 250)))
    if args.train:
        bench_training(args.train, args.mentions)


if __name__ == "__main__":
    main()
