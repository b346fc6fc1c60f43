"""Linking: which stretches of a text name an entity of the knowledge base, and which one.

All n-grams that the lexicon knows are mention candidates with their entities; no two chosen mentions overlap; what is
not chosen is Nil, and the Nil bias moves precision against recall. Yang and Chang, S-MART (ACL 2015).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.linking.all import BASIC
from engine.features.linking.entity_pairs import PAIRS
from engine.lexicon.build import open_or_build
from engine.lexicon.lexicon import Lexicon
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.linking import Counts, count_document, is_strict_match, presence
from engine.settings import Settings
from engine.tasks.base import DocumentPins, FeatureInfo, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.linking import state as states
from engine.tasks.linking.errors import find_errors
from engine.tasks.linking.gold import Gold, corpus_curve
from engine.tasks.linking.pinning import as_pins
from engine.tasks.linking.settings import LEARNERS, n_rounds
from engine.tasks.linking.state import Corpus, State, fold_of
from engine.tasks.linking.trace import LinkingTrace, make_trace
from engine.tasks.linking.training import Lockstep, lockstep, settle
from engine.tuning.curve import Curve

# Dev is scored this often while training; every round would cost more than the training.
_GLANCES = 6


class Linking(Task):
    name: ClassVar[str] = "linking"
    title: ClassVar[str] = "Entity linking"
    sentence: ClassVar[str] = "Finds names in short texts and links each to its entity, no two of them overlapping."
    abstain: ClassVar[str] = "Nil"
    default_learner: ClassVar[str] = "s-mart"
    learners: ClassVar[Mapping[str, LearnerInfo]] = LEARNERS
    decides: ClassVar[tuple[DecisionKind, ...]] = ("link",)
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "forced by a constraint",
        "scored lower",
    )

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        if not resources.lexicon:
            raise InputError(
                "linking needs a lexicon: name a built one, or a folder or files of surfaces, with --lexicon"
            )
        if self.fits(train) != "yes":
            raise InputError("no training document has a linked mention")
        lexicon = open_or_build(resources.lexicon)
        path = str(lexicon.path) if lexicon.path else None
        state, corpus, groups = states.learn_state(train, lexicon, settings, path)
        gold = Gold(train, corpus)
        if not gold.right.any():
            raise InputError("no gold link of the training documents is among the candidates: does the lexicon fit?")
        n_folds = min(settings.folds, len(set(groups)))  # type: ignore[attr-defined]
        if learner == "s-mart-2" and n_folds < 2:
            raise InputError("two stages need at least 2 folds: the second learns from the first on unseen texts")
        folds = fold_of(groups, n_folds, settings.seed) if n_folds > 1 else None
        watch = _Dev(dev, state)
        total = n_rounds(settings)
        stages = 2 if learner == "s-mart-2" else 1
        for stage in range(stages):
            last: Lockstep | None = None
            for step in lockstep(settings, corpus, gold, folds):
                done = stage * total + step.index + 1
                scores = watch.look(step, total)
                yield TrainingRound(
                    index=done,
                    total=stages * total,
                    objective=step.objective,
                    scores=scores,
                    build=_builder(self.name, learner, settings, state, step, corpus, gold, folds),
                    details={"reachable": gold.reachable, "rows": corpus.candidates.n_rows, "stage": stage + 1},
                )
                last = step
            if stage + 1 < stages and last is not None:
                first = settle(last, corpus, gold, folds)
                found = corpus.lattice.argmax(first.unseen - first.bias)
                corpus = states.with_pairs(corpus, state.inventory, found)
                state = dataclasses.replace(state, first=first.scorer, first_bias=first.bias)
                watch = _Dev(dev, state)

    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        state: State = model.state
        corpus = state.ready(documents)
        nil = model.bias if bias is None else bias
        scores = state.scores(corpus)
        fixed, forced = as_pins(documents, corpus, scores, pins or {})
        chosen = corpus.lattice.argmax(scores - nil, pins=fixed)
        _, marginals = corpus.lattice.marginals(scores - nil, pins=fixed)
        return layers_of(corpus, chosen, marginals, len(documents), forced)

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        pairs = list(zip(gold, predicted, strict=True))
        overlap = _total(count_document(d, p) for d, p in pairs)
        report: Report = {
            **overlap.scores(),
            "strict": _total(count_document(d, p, matches=is_strict_match) for d, p in pairs).scores(),
            "ir": presence(gold, predicted).scores(),
        }
        if model is not None:
            known = model.state.inventory.entities
            report["inventory"] = _total(count_document(d, p, inside=known.__contains__) for d, p in pairs).scores()
        report["documents"] = len(pairs)
        report["mentions"] = overlap.gold
        return report

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        rows = []
        for document, layer in zip(gold, predicted, strict=True):
            overlap = count_document(document, layer)
            strict = count_document(document, layer, matches=is_strict_match)
            rows.append(
                {
                    **{name: float(value) for name, value in dataclasses.asdict(overlap).items()},
                    "strict_correct": float(strict.correct),
                    "strict_found": float(strict.found),
                }
            )
        return rows

    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        state: State = model.state
        corpus = state.ready(documents)
        return corpus_curve(corpus, Gold(documents, corpus), state.scores(corpus))

    def trace(
        self, document: Document, model: Model, *, bias: float | None = None, pins: Sequence[Pin] = ()
    ) -> LinkingTrace:
        names = [info.name for info in self.features(model)]
        return make_trace(document, model.state, model.bias if bias is None else bias, pins, names)

    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        return find_errors(documents, predicted, model.state, model.bias if bias is None else bias)

    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        listed = [FeatureInfo(feature.name, feature.group, feature.help) for feature in BASIC]
        if model is not None and model.state.first is not None:
            listed += [FeatureInfo(name, "entity-entity", help) for name, help in PAIRS.items()]
        return listed

    def rank_entities(self, document: Document, model: Model, span: tuple[int, int]) -> list[tuple[str, float]]:
        corpus = model.state.ready([document])
        _, marginals = corpus.lattice.marginals(model.state.scores(corpus) - model.bias)
        rows = np.flatnonzero((corpus.characters[:, 0] == span[0]) & (corpus.characters[:, 1] == span[1]))
        return [
            (corpus.titles[row], float(marginals[row])) for row in rows[np.argsort(-marginals[rows], kind="stable")]
        ]

    def find_entities(self, model: Model, words: str, limit: int = 20) -> list[str]:
        lexicon: Lexicon = model.state.inventory.lexicon
        return lexicon.search(words, limit)

    def pack(self, model: Model) -> dict[str, Any]:
        return states.pack(model.state)

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> Any:
        return states.unpack(parts)

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        if not documents or all(document.bag is not None or not document.text for document in documents):
            return "no"
        linked = any(mention.is_linked for document in documents for mention in document.gold.mentions)
        return "yes" if linked else "no gold"


def layers_of(
    corpus: Corpus,
    chosen: NDArray[np.intp],
    scores: NDArray[np.float64],
    n_documents: int,
    forced: Sequence[Sequence[Mention]] = (),
) -> list[Layer]:
    """The chosen rows as one layer per document, beside mentions that are forced."""
    mentions: list[list[Mention]] = [list(forced[d]) if forced else [] for d in range(n_documents)]
    owner = corpus.candidates.document[corpus.candidates.mention]
    for row in chosen:
        start, end = corpus.characters[row]
        link = Mention(int(start), int(end), entity=corpus.titles[row], score=float(scores[row]))
        mentions[owner[row]].append(link)
    return [Layer(mentions=tuple(sorted(found, key=lambda m: m.span))) for found in mentions]


class _Dev:
    """Dev scores while training, looked at now and then."""

    def __init__(self, documents: Sequence[Document], state: State) -> None:
        self._corpus: Corpus | None = state.ready(documents) if documents else None
        self._gold = Gold(documents, self._corpus) if self._corpus is not None else None
        self._latest: dict[str, float] = {}

    def look(self, step: Lockstep, total: int) -> dict[str, float]:
        if self._corpus is None or self._gold is None:
            return {}
        if step.is_last or step.index % max(1, total // _GLANCES) == 0:
            scores = np.asarray(step.scorer.scores(self._corpus.features), dtype=np.float64)
            curve = corpus_curve(self._corpus, self._gold, scores)
            self._latest = {"f1": curve.at(0.0).f1, "best_f1": curve.point(curve.best_index()).f1}
        return dict(self._latest)


def _builder(
    task: str,
    learner: str,
    settings: Settings,
    state: State,
    step: Lockstep,
    corpus: Corpus,
    gold: Gold,
    folds: NDArray[np.int64] | None,
) -> Any:
    def build() -> Model:
        kept = settle(step, corpus, gold, folds)
        return Model(
            task=task,
            learner=learner,
            settings=settings,
            state=dataclasses.replace(state, scorer=kept.scorer),
            bias=kept.bias,
        )

    return build


def _total(counts: Iterator[Counts]) -> Counts:
    total = Counts()
    for one in counts:
        total += one
    return total
