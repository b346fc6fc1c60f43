"""Disambiguation away from home: the table of docs/lab/disambiguation_domains.md.

    python -m benchmarks.table_domains [--data FOLDER] [--out FILE] [--seeds 3]
    python -m benchmarks.table_domains --quick

Given mentions of tweets and posts, candidates from the base lexicon. What the prior alone chooses, looked up as written
and in other forms, beside SGTB trained on tweets (NEEL train) and on news (AIDA train). The number of trees is chosen
on a tenth of the training documents. --quick trains one model on the sample corpus and writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.places import DATA, ROOT, SAMPLES, parser
from engine.corpora import read
from engine.data.document import Document
from engine.features.disambiguation.candidates import candidates_of
from engine.features.disambiguation.priors import Links, Lookup, Priors
from engine.lexicon.build import open_or_build
from engine.lexicon.lexicon import Lexicon
from engine.metrics.significance import paired_bootstrap
from engine.tasks.base import Resources
from engine.tasks.disambiguation.settings import DisambiguationSettings
from engine.tasks.disambiguation.task import Disambiguation, DisambiguationModel
from engine.tasks.registry import the

TASK = the(Disambiguation)
LEXICON_FILES = ("lexicon_base.jsonl.gz", "entities.tsv.gz", "descriptions.tsv.gz")
IGNORED = ("ppr", "title")


class Target(NamedTuple):
    """A corpus to test on, and the lexicon's sources that its own links are left out of."""

    path: Path
    without: tuple[str, ...] = ()


class Home(NamedTuple):
    """A corpus to train on, and the lexicon's sources that hold its links."""

    path: Path
    own_tags: tuple[str, ...]


@dataclass(frozen=True)
class Variant:
    """A line of the table."""

    title: str
    home: str
    learner: str
    settings: DisambiguationSettings


def variants(homes: Sequence[str]) -> list[Variant]:
    tweets, *others = homes
    found = []
    for learner in ("bibsg", "bsg"):
        best = replace(TASK.learner(learner).settings, features="portable")
        found.append(Variant(f"`{learner}`, `features=portable`", tweets, learner, best))
    portable = found[0].settings
    found += [
        Variant("`bibsg`, portable, `start=zero`", tweets, "bibsg", replace(portable, start="zero")),
        Variant("`bibsg`, `features=graph`", tweets, "bibsg", replace(portable, features="graph")),
        Variant(
            "`bibsg`, graph, `start=zero`, `lookup=exact`",
            tweets,
            "bibsg",
            replace(portable, features="graph", start="zero", lookup="exact"),
        ),
    ]
    for home in others:
        found += [
            Variant("`bibsg`, `features=portable`", home, "bibsg", portable),
            Variant("`bibsg`, `features=graph`", home, "bibsg", replace(portable, features="graph")),
        ]
    return found


class Table:
    """Corpora read once; every line is trained and judged on all targets."""

    def __init__(self, homes: dict[str, Home], targets: dict[str, Target], lexicon: tuple[Path, ...]) -> None:
        self.homes, self.targets, self.files = homes, targets, lexicon
        self.lexicon: Lexicon = open_or_build(lexicon)
        self.train = {name: read(home.path) for name, home in homes.items()}
        self.documents = {name: read(target.path) for name, target in targets.items()}
        self.lines: list[list[str]] = []
        self.kept: dict[str, dict[str, np.ndarray]] = {}

    def prior(self, home: str, lookup: Lookup) -> None:
        """What the averaged prior alone chooses, with the links of the training documents."""
        links, own = Links.of(self.train[home]), self.homes[home].own_tags
        right: dict[str, np.ndarray] = {}
        reach: dict[str, float] = {}
        for name, documents in self.documents.items():
            source = Priors(links, self.lexicon, own, (*IGNORED, *self.targets[name].without), lookup)
            first = [_looked_up(document, source) for document in documents]
            right[name] = np.array([[hits, total] for hits, _, total in first], dtype=np.float64)
            reach[name] = sum(found for _, found, _ in first) / max(1, sum(total for _, _, total in first))
        self.kept[f"prior {home} {lookup}"] = right
        how = "as written" if lookup == "exact" else "in other forms too"
        self.lines.append([f"most likely by the averaged prior, looked up {how}", home, *_cells([right])])
        self.lines.append(["(right entity among the candidates)", home, *(f"{100 * reach[n]:.1f}" for n in reach)])

    def run(self, variant: Variant, seeds: int) -> None:
        home = self.homes[variant.home]
        scores: list[dict[str, np.ndarray]] = []
        for seed in range(seeds):
            settings = replace(variant.settings, source="lexicon", own_tags=home.own_tags, seed=seed)
            files = Resources(lexicon=self.files)
            *_, last = TASK.rounds(self.train[variant.home], [], variant.learner, settings, files)
            scores.append({name: self._right(last.model, name) for name in self.documents})
        self.kept[f"{variant.home} {variant.title}"] = scores[0]
        self.lines.append([variant.title, variant.home, *_cells(scores)])
        print(" ".join(self.lines[-1]), flush=True)

    def _right(self, model: DisambiguationModel, name: str) -> np.ndarray:
        """Per document: links that are right, and links of gold."""
        priors = replace(model.state.priors, ignored_tags=(*IGNORED, *self.targets[name].without))
        model = replace(model, state=replace(model.state, priors=priors))
        documents = self.documents[name]
        predicted = TASK.predict(documents, model)
        rows = []
        for document, layer in zip(documents, predicted, strict=True):
            said = {mention.span: mention.entity for mention in layer.mentions}
            linked = [mention for mention in document.gold.mentions if mention.is_linked]
            rows.append([sum(said.get(mention.span) == mention.entity for mention in linked), len(linked)])
        return np.array(rows, dtype=np.float64)

    def differences(self, system: str, prior: str) -> list[str]:
        out = []
        for name in self.documents:
            one, two = (_counts(self.kept[which][name]) for which in (prior, system))
            d = paired_bootstrap(one, two)
            out.append(f"{100 * d.value:+.1f} ({100 * d.low:+.1f} to {100 * d.high:+.1f})")
        return out


def _looked_up(document: Document, source: Priors) -> tuple[int, int, int]:
    """Of the linked mentions: those whose first candidate is right, those that have the right one, all."""
    candidates = candidates_of(document, document.gold.mentions, source, most=30, own=False, given=False)
    pairs = [
        (mention.entity, [c.title for c in found])
        for mention, found in zip(document.gold.mentions, candidates, strict=True)
        if mention.is_linked
    ]
    hits = sum(bool(found) and found[0] == entity for entity, found in pairs)
    return hits, sum(entity in found for entity, found in pairs), len(pairs)


def _cells(scores: Sequence[dict[str, np.ndarray]]) -> list[str]:
    """Mean accuracy over the runs, with its standard deviation where there are several."""
    out = []
    for name in scores[0]:
        values = [100 * one[name][:, 0].sum() / max(1.0, one[name][:, 1].sum()) for one in scores]
        spread = f" ± {np.std(values):.1f}" if len(values) > 1 else ""
        out.append(f"{np.mean(values):.1f}{spread}")
    return out


def _counts(right: np.ndarray) -> np.ndarray:
    """Columns as significance.COLUMNS: every linked mention is predicted, so F1 is accuracy."""
    hits, total = right[:, :1], right[:, 1:]
    return np.hstack([hits, hits, total, total])


def markdown(table: Table, seeds: int) -> str:
    names = list(table.documents)
    head = ["| | trained on | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    body = ["| " + " | ".join(line) + " |" for line in table.lines]
    first = next(iter(table.homes))
    system = f"{first} `bibsg`, `features=portable`"
    rows = [
        f"| {what} | " + " | ".join(table.differences(system, f"prior {first} {lookup}")) + " |"
        for what, lookup in (("as written", "exact"), ("in other forms too (the same candidates)", "forms"))
    ]
    sizes = ", ".join(
        f"{name} {sum(m.is_linked for d in documents for m in d.gold.mentions)}"
        for name, documents in table.documents.items()
    )
    return "\n".join(
        [
            "# Disambiguation away from home",
            "",
            f"Made by `python -m benchmarks.table_domains --seeds {seeds}`. In-KB accuracy in percent with given",
            f"mentions (linked: {sizes}), mean of {seeds} seed(s) ± standard",
            "deviation. Candidates come from the base lexicon and the links of the training documents. *Reddit posts*:",
            "the lexicon counts these very texts (source `reddit`), so the column flatters everybody; *left out* is",
            "without that source.",
            "",
            *head,
            *body,
            "",
            f"`bibsg` with `features=portable`, trained on {first}, minus the prior looked up (seed 0, paired",
            "bootstrap over documents, 95 %):",
            "",
            "| prior | " + " | ".join(names) + " |",
            "|---|" + "---|" * len(names),
            *rows,
            "",
        ]
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA)
    options.add_argument("--out", type=Path, default=ROOT / "docs" / "lab" / "disambiguation_domains.md")
    options.add_argument("--seeds", type=int, default=3)
    args = options.parse_args()
    if args.quick:
        folder = SAMPLES / "linking"
        quick = Table(
            {"sample": Home(folder / "train.jsonl", ())}, {"dev": Target(folder / "dev.jsonl")}, (folder / "lexicon",)
        )
        quick.prior("sample", "forms")
        quick.run(variants(["sample"])[0], 1)
        return
    data = args.data
    homes = {
        "tweets": Home(data / "neel" / "train.jsonl.gz", ("tweets_train",)),
        "news": Home(data / "aida_ppr" / "train.jsonl.gz", ("aida",)),
    }
    posts = data / "reddit" / "posts_train.jsonl.gz"
    targets = {
        "Tweeki": Target(data / "tweeki" / "train.jsonl.gz"),
        "Reddit posts": Target(posts),
        "Reddit posts, left out": Target(posts, ("reddit",)),
        "NEEL dev": Target(data / "neel" / "dev.jsonl.gz"),
    }
    table = Table(homes, targets, tuple(data / "lexicon" / name for name in LEXICON_FILES))
    for home in homes:
        for lookup in ("exact", "forms"):
            table.prior(home, lookup)
    for variant in variants(list(homes)):
        table.run(variant, args.seeds)
    old = args.out.read_text(encoding="utf-8") if args.out.exists() else ""
    _, mark, kept = old.partition("\n## ")
    args.out.write_text(markdown(table, args.seeds) + (mark + kept), encoding="utf-8")
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
