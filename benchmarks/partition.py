"""The stages of blame on real dev data: they partition all errors of every system.

    python -m benchmarks.partition [--data FOLDER] [--systems NAME ...] [--out docs/lab/errors_table.md] [--quick]

Trains each system's default learner on the whole training corpus for a few rounds (blame does not ask how good the
model is), predicts the whole dev corpus, counts misses and false alarms a second time without the blame code, and
compares: every one has exactly one stage, none is lost, none counted twice. Needs ../shared/data or $ESPALIER_DATA;
--quick does the same on the sample corpora.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.places import DATA, SAMPLES, parser
from engine.corpora import read
from engine.data.document import Document, Layer
from engine.metrics.errors import STAGES, Error, Stage, stage_table
from engine.tasks.base import AnyModel, AnyTask, Resources
from engine.tasks.registry import get
from engine.workbench.repair import score_if_fixed


@dataclass(frozen=True)
class Setup:
    """A real corpus of a system, and settings that train quickly."""

    folder: str
    ending: str = "jsonl.gz"
    settings: dict[str, Any] = field(default_factory=dict)
    rounds: int = 5
    lexicon: tuple[str, ...] = ()


SETUPS = {
    "linking": Setup("neel", rounds=60, lexicon=("lexicon",)),
    "disambiguation": Setup("aida_ppr", settings={"trees": 40}, rounds=40),
    "coreference": Setup("ontogum", ending="conll.gz", rounds=3),
    "distant": Setup("nyt_multi_bags", settings={"planes": 40, "n_rounds": 1}, rounds=1),
    "joint": Setup("conll04", rounds=1000),
}
QUICK = {
    "linking": Setup("linking", ending="jsonl", rounds=3, lexicon=("linking/lexicon",)),
    "disambiguation": Setup("disambiguation", ending="jsonl", settings={"trees": 3}, rounds=3),
    "coreference": Setup("coreference", ending="conll", rounds=1),
    "distant": Setup("distant", ending="jsonl", settings={"planes": 5, "n_rounds": 1}, rounds=1),
    "joint": Setup(
        "joint", ending="jsonl", settings={"classifier": "winnow", "winnow_rounds": 2, "folds": 2}, rounds=2
    ),
}
"""The sample corpora and fewer rounds."""


@dataclass(frozen=True)
class Partition:
    """Errors by stage of a system on a corpus, and how many there are by an independent count."""

    documents: int
    misses: int
    false_alarms: int
    errors: Sequence[Error]

    @property
    def by_stage(self) -> dict[Stage, int]:
        return {stage: sum(row.values()) for stage, row in stage_table(self.errors).items()}

    def faults(self, task: AnyTask) -> list[str]:
        """What is wrong with the partition; empty when every error has exactly one place in it."""
        kinds = Counter(error.kind for error in self.errors)
        seen = Counter((e.document, e.kind, e.spans, e.type, e.gold, e.predicted) for e in self.errors)
        found = []
        if kinds["miss"] != self.misses:
            found.append(f"{kinds['miss']} misses have a stage, {self.misses} were counted")
        if kinds["false alarm"] != self.false_alarms:
            found.append(f"{kinds['false alarm']} false alarms have a stage, {self.false_alarms} were counted")
        if sum(self.by_stage.values()) != len(self.errors):
            found.append("the stages do not add up")
        found += [f"{n} times: {key}" for key, n in seen.items() if n > 1]
        found += [f"{stage} cannot occur" for stage, n in self.by_stage.items() if n and stage not in task.stages]
        return found


def read_split(data: Path, setup: Setup, split: str, most: int | None = None) -> list[Document]:
    return read(data / setup.folder / f"{split}.{setup.ending}")[:most]


def train(task: AnyTask, documents: Sequence[Document], data: Path, setup: Setup) -> AnyModel:
    info = task.learner(None)
    settings = dataclasses.replace(info.settings, **setup.settings)
    resources = Resources(lexicon=tuple(data / name for name in setup.lexicon))
    rounds = task.rounds(documents, [], info.name, settings, resources)
    return list(itertools.islice(rounds, setup.rounds))[-1].model


def partition(task: AnyTask, documents: Sequence[Document], model: AnyModel, bias: float | None = None) -> Partition:
    scored = task.scored(documents, model).at(bias)
    predicted = task.decide(scored)
    misses, alarms = recount(task, documents, predicted)
    return Partition(len(documents), misses, alarms, task.errors(scored, predicted))


def recount(task: AnyTask, documents: Sequence[Document], predicted: Sequence[Layer]) -> tuple[int, int]:
    """Misses and false alarms without the code that blames: from the counts that scores are made of; for chains,
    mentions that some earlier one belongs to on one side only."""
    if task.name == "coreference":
        sides = [(_earlier(d.gold), _earlier(layer)) for d, layer in zip(documents, predicted, strict=True)]
        misses = sum(not mine & ours.get(span, set()) for gold, ours in sides for span, mine in gold.items() if mine)
        alarms = sum(not mine & gold.get(span, set()) for gold, ours in sides for span, mine in ours.items() if mine)
        return misses, alarms
    total: Counter[str] = Counter()
    for row in task.counts(documents, predicted):
        total.update({name: int(n) for name, n in row.items()})
    misses, alarms = total["gold"] - total["found"], total["predicted"] - total["correct"]
    if task.name == "joint":
        misses += total["entities_gold"] - total["entities_correct"]
        alarms += total["entities_predicted"] - total["entities_correct"]
    return misses, alarms


def _earlier(layer: Layer) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """Span -> spans of its chain that begin before it (or at the same place and end before)."""
    found = {}
    for cluster in layer.clusters:
        spans = [layer.mentions[i].span for i in cluster]
        for span in spans:
            found[span] = {other for other in spans if other < span}
    return found


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument("--systems", nargs="+", default=list(SETUPS), choices=list(SETUPS))
    options.add_argument("--out", type=Path, help="also write the table there, as Markdown")
    args = options.parse_args()
    data, setups = (SAMPLES, QUICK) if args.quick else (args.data, SETUPS)
    rows, failed = [], False
    for name in args.systems:
        task, setup = get(name), setups[name]
        begun = time.process_time()
        model = train(task, read_split(data, setup, "train"), data, setup)
        dev = read_split(data, setup, "dev")
        found = partition(task, dev, model)
        scored = task.scored(dev, model)
        predicted = task.decide(scored)
        now = _main(task, task.evaluate(dev, predicted, scored))
        fixed = {}
        for stage in STAGES:
            own = [error for error in found.errors if error.stage == stage]
            fixed[stage] = _main(task, score_if_fixed(task, dev, predicted, own, scored)) if own else now
        every = _main(task, score_if_fixed(task, dev, predicted, found.errors, scored))
        rows.append((name, setup.folder, found, (now, every), fixed, task))
        for fault in found.faults(task):
            failed = True
            print(f"{name}: {fault}", file=sys.stderr)
        print(f"{name}: {len(found.errors)} errors, {time.process_time() - begun:.0f} s of CPU", flush=True)
    text = table(rows)
    print(text)
    if args.out is not None:
        args.out.write_text(text, encoding="utf-8")
    return int(failed)


def _main(task: AnyTask, report: Any) -> float:
    for key in task.main_score:
        report = report[key]
    return float(report)


def table(rows: Sequence[tuple[str, str, Partition, tuple[float, float], dict[Stage, float], AnyTask]]) -> str:
    """Systems as columns, stages as rows: count, and the main score when exactly these are corrected."""
    lines = [
        "| | " + " | ".join(f"{name} ({folder})" for name, folder, *_ in rows) + " |",
        "|---|" + "---|" * len(rows),
    ]
    lines.append("| dev documents | " + " | ".join(str(found.documents) for _, _, found, *_ in rows) + " |")
    for stage in STAGES:
        cells = []
        for _, _, found, _, fixed, task in rows:
            n = found.by_stage[stage]
            cells.append(
                "cannot occur" if stage not in task.stages else f"{n} → {100 * fixed[stage]:.1f}" if n else "0"
            )
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    lines.append("| all errors | " + " | ".join(str(len(found.errors)) for _, _, found, *_ in rows) + " |")
    lines.append(
        "| misses + false alarms, counted again | "
        + " | ".join(f"{found.misses} + {found.false_alarms}" for _, _, found, *_ in rows)
        + " |"
    )
    lines.append("| main score now, % | " + " | ".join(f"{100 * now:.1f}" for *_, (now, _), _, _ in rows) + " |")
    lines.append("| with all corrected, % | " + " | ".join(f"{100 * all:.1f}" for *_, (_, all), _, _ in rows) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
