"""All learners of linking on identical instances: the table of docs/lab/linking_table.md.

    python -m benchmarks.table_linking [--data FOLDER] [--out FILE] [--seeds 3] [--learners NAME ...]
    python -m benchmarks.table_linking --quick

Trains on NEEL train, chooses the Nil bias by cross-validation on NEEL train, reports NEEL dev at bias 0 and at the
chosen bias, against all gold and against gold whose entity the lexicon knows, and TweekiGold and Derczynski tweets as
other domains. Differences to S-MART have paired bootstrap intervals over documents. --quick trains
two learners on the sample corpus in place of all, and writes nothing.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.places import DATA, ROOT, SAMPLES, parser
from engine.corpora import read
from engine.data.document import Layer
from engine.features.linking.inventory import Inventory
from engine.learners.base import Scorer
from engine.lexicon.build import open_or_build
from engine.lexicon.surfaces import normalise
from engine.metrics.linking import Counts, count_document
from engine.metrics.significance import ScoreDifference, bootstrap_interval, paired_bootstrap
from engine.tasks.linking.deciding import layers
from engine.tasks.linking.scoring import LinkingRows, rows_of, scores_of, second_rows
from engine.tasks.linking.settings import LEARNERS, LinkingSettings
from engine.tasks.linking.state import FirstStage, LinkingKnowledge
from engine.tasks.linking.training import Stage, fold_of, learn, targets
from engine.tasks.linking.training.lockstep import Lockstep, TrainingSet, lockstep

ORDER = ("s-mart", "s-mart-2", "s-mart-hinge", "mart", "ssvm", "perceptron", "lambdarank", "poly-ssvm")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument("--out", type=Path, default=ROOT / "docs" / "lab" / "linking_table.md")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--learners", nargs="+", default=list(ORDER))
    args = options.parse_args()
    if args.quick:
        quick = Table(sample_files(), 1)
        for name in ("s-mart", "perceptron"):
            quick.run(name)
        # Not the table itself: its text names the real corpora.
        print(f"a table of {len(quick.markdown().splitlines())} lines")
        return
    table = Table(real_files(args.data), args.seeds)
    for name in args.learners:
        table.run(name)
        args.out.write_text(table.markdown(), encoding="utf-8")
    print(f"wrote {args.out}")


@dataclass(frozen=True, eq=False)
class Trained:
    """What training one learner left behind."""

    scorer: Scorer
    bias: float
    first: FirstStage | None


class Files(NamedTuple):
    train: Path
    dev: Path
    others: dict[str, Path]
    """Texts of other domains, by name."""
    lexicon: Path


def real_files(data: Path) -> Files:
    others = {name: data / name / "train.jsonl.gz" for name in ("tweeki", "derczynski")}
    return Files(data / "neel" / "train.jsonl.gz", data / "neel" / "dev.jsonl.gz", others, data / "lexicon")


def sample_files() -> Files:
    folder = SAMPLES / "linking"
    others = {name: folder / "test.jsonl" for name in ("tweeki", "derczynski")}
    return Files(folder / "train.jsonl", folder / "dev.jsonl", others, folder / "lexicon")


class Table:
    """Corpora and rows prepared once; each learner adds its lines."""

    def __init__(self, files: Files, seeds: int) -> None:
        self.seeds = seeds
        self.train = read(files.train)
        self.sets = {"neel dev": read(files.dev), **{name: read(path) for name, path in files.others.items()}}
        settings = LEARNERS["s-mart"].settings
        lexicon = open_or_build([files.lexicon])
        self.knowledge, self.train_rows, self.groups = learn(self.train, lexicon, settings)
        self.target = targets(self.train_rows.parts)
        # The lexicon counts the other domains' texts as well: out with them, or it would know the answers.
        pairs = Counter(self.knowledge.memory.pairs())
        for name in files.others:
            for document in self.sets[name]:
                for mention in document.gold.mentions:
                    if mention.is_linked:
                        pairs[normalise(document.surface(mention)), str(mention.entity)] += 1
        outside = dataclasses.replace(self.knowledge, inventory=Inventory(lexicon, settings.own_tags, pairs))
        self.known: dict[str, LinkingKnowledge] = {name: outside for name in self.sets} | {"neel dev": self.knowledge}
        self.rows: dict[str, LinkingRows] = {
            name: rows_of(docs, self.known[name], None) for name, docs in self.sets.items()
        }
        self.reach = {name: rows.parts.reachable for name, rows in self.rows.items()}
        self.lines: list[list[str]] = []
        self.domains: list[list[str]] = []
        self.counts: dict[str, np.ndarray] = {}
        self.inventory_counts: dict[str, np.ndarray] = {}

    def run(self, name: str) -> None:
        begin = time.process_time()
        scores: list[dict[str, float]] = []
        kept: dict[str, list[Counts]] = {}
        for seed in range(self.seeds):
            settings = dataclasses.replace(LEARNERS[name].settings, seed=seed)
            model = self._train(settings)
            one: dict[str, float] = {"bias": model.bias}
            for data, documents in self.sets.items():
                for label, bias in (("0", 0.0), ("*", model.bias)):
                    predicted = self._predict(model, data, bias)
                    counts = [count_document(d, p) for d, p in zip(documents, predicted, strict=True)]
                    for key, value in _sum(counts).scores().items():
                        one[f"{data} {key} {label}"] = value
                    if data == "neel dev":
                        known = self.knowledge.inventory.entities.__contains__
                        pairs = zip(documents, predicted, strict=True)
                        inside = [count_document(d, p, inside=known) for d, p in pairs]
                        one[f"inventory f1 {label}"] = _sum(inside).scores()["f1"]
                        if label == "*" and seed == 0:
                            kept = {"all": counts, "inventory": inside}
            scores.append(one)
        mean = {key: float(np.mean([one[key] for one in scores])) for key in scores[0]}
        spread = float(np.std([one["neel dev f1 *"] for one in scores]))
        self.counts[name], self.inventory_counts[name] = _rows(kept["all"]), _rows(kept["inventory"])
        dev = "neel dev"
        self.lines.append(
            [
                LEARNERS[name].title,
                *(f"{100 * mean[f'{dev} {key} 0']:.1f}" for key in ("precision", "recall", "f1")),
                f"{100 * mean['inventory f1 0']:.1f}",
                f"{mean['bias']:.2f}",
                *(f"{100 * mean[f'{dev} {key} *']:.1f}" for key in ("precision", "recall")),
                f"{100 * mean[f'{dev} f1 *']:.1f} ± {100 * spread:.1f}",
                f"{100 * mean['inventory f1 *']:.1f}",
                name,
            ]
        )
        self.domains.append(
            [
                LEARNERS[name].title,
                *(
                    f"{100 * mean[f'{data} {key} *']:.1f}"
                    for data in ("tweeki", "derczynski")
                    for key in ("precision", "recall", "f1")
                ),
            ]
        )
        print(f"{name}: {' '.join(self.lines[-1][1:-1])} ({time.process_time() - begin:.0f} s CPU)", flush=True)

    def _train(self, settings: LinkingSettings) -> Trained:
        data = TrainingSet(self.train_rows, self.target, fold_of(self.groups, settings.folds, settings.seed))
        stage = Stage(self.knowledge, data)
        for _ in range(1, settings.stages):
            stage = stage.next(_last(lockstep(settings, stage.data)))
        kept = stage.settled(_last(lockstep(settings, stage.data)))
        return Trained(kept.scorer, kept.bias, stage.first)

    def _predict(self, model: Trained, data: str, bias: float) -> list[Layer]:
        rows = self.rows[data]
        if model.first is not None:
            rows = second_rows(rows, self.known[data].inventory, model.first)
        scores = scores_of(rows, model.scorer) - bias
        return layers(rows.parts, rows.parts.lattice.argmax(scores), scores)

    def markdown(self) -> str:
        n = len(self.sets["neel dev"])
        text = [
            "# Linking: all learners on the same instances",
            "",
            f"Made by `python -m benchmarks.table_linking --seeds {self.seeds}`. Trained on NEEL train (1,540 tweets),",
            f"Nil bias b* chosen by cross-validation on NEEL train, mean of {self.seeds} seed(s) (± standard",
            f"deviation), NEEL dev ({n} tweets).",
            "Overlap match, percent. *Inventory*: gold restricted to entities of the lexicon, predictions as they are.",
            f"Candidates reach {100 * self.reach['neel dev']:.1f} % of the dev gold.",
            "",
            "| learner | P, b=0 | R, b=0 | F1, b=0 | inventory F1, b=0 | b* | P | R | F1 | inventory F1 |",
            "|---|---|---|---|---|---|---|---|---|---|",
            *("| " + " | ".join(line[:-1]) + " |" for line in self.lines),
            "",
            "## Differences to S-MART at b* (seed 0, paired bootstrap over tweets, 95 %)",
            "",
            "| learner | F1 minus S-MART's | interval | p | inventory F1 minus S-MART's | interval |",
            "|---|---|---|---|---|---|",
        ]
        if "s-mart" in self.counts:
            for name in self.counts:
                if name == "s-mart":
                    continue
                one = paired_bootstrap(self.counts["s-mart"], self.counts[name])
                two = paired_bootstrap(self.inventory_counts["s-mart"], self.inventory_counts[name])
                cells = [LEARNERS[name].title, *_cells(one), f"{one.p:.2f}", *_cells(two)]
                text.append("| " + " | ".join(cells) + " |")
            own = bootstrap_interval(self.counts["s-mart"])
            text += ["", f"S-MART itself: F1 {100 * own.value:.1f}, {100 * own.low:.1f} to {100 * own.high:.1f}."]
        text += [
            "",
            "## Other domains (trained on NEEL train, at b*)",
            "",
            "Lexicon counts that come from these texts are subtracted. Derczynski gold holds Wikidata labels, which",
            "are not always titles, so its recall has a lower ceiling. Reach of candidates: "
            + ", ".join(f"{name} {100 * self.reach[name]:.1f} %" for name in ("tweeki", "derczynski"))
            + ".",
            "",
            "| learner | Tweeki P | R | F1 | Derczynski P | R | F1 |",
            "|---|---|---|---|---|---|---|",
            *("| " + " | ".join(line) + " |" for line in self.domains),
            "",
        ]
        return "\n".join(text)


def _last(steps: Iterator[Lockstep]) -> Lockstep:
    return deque(steps, maxlen=1)[0]


def _cells(difference: ScoreDifference) -> tuple[str, str]:
    d = difference
    return f"{100 * d.value:+.1f}", f"{100 * d.low:+.1f} to {100 * d.high:+.1f}"


def _sum(counts: Sequence[Counts]) -> Counts:
    total = Counts()
    for one in counts:
        total += one
    return total


def _rows(counts: Sequence[Counts]) -> np.ndarray:
    """Columns as significance.COLUMNS."""
    return np.array([[c.correct, c.found, c.predicted, c.gold] for c in counts], dtype=np.float64)


if __name__ == "__main__":
    main()
