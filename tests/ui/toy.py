"""A system small enough to know by heart, for tests of the app: it remembers which words were mentions.

The score of a word is how often it was one minus how often it was not; it is predicted while the score exceeds the
bias. `pause` makes a round last, so that a test can watch and cancel it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Layer, Mention
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.metrics.errors import Error
from engine.metrics.tally import Tally
from engine.settings import Settings, setting
from engine.tasks.base import DocumentPins, LearnerInfo, Model, Resources, Task, TrainingRound
from engine.tasks.explanation import Contribution, Explanation, FeatureInfo
from engine.tasks.readiness import Readiness
from engine.tasks.scored import Scored, column, offsets
from engine.tasks.training.checkpoint import from_json_part, json_part
from engine.tuning.curve import Curve, merge_paths

UNKNOWN = -1e9
"""The score of a word that training has not seen."""

Counts = dict[str, int]
Trace = list[tuple[str, float]]


@dataclass(frozen=True, kw_only=True)
class ToySettings(Settings):
    epochs: int = setting(4, "Passes over the corpus.", low=1, high=1000)
    pause: float = setting(0.0, "Seconds that each pass waits.", low=0.0)
    case: Literal["keep", "fold"] = setting("keep", "Whether case matters.")
    fail: bool = setting(False, "Break down in the second pass.")
    stops: tuple[str, ...] = setting((), "Words that are never mentions.")


@dataclass(frozen=True, eq=False, kw_only=True)
class ToyScored(Scored):
    """A part is a word."""

    word_offsets: NDArray[np.int64] = offsets("word")
    score: NDArray[np.float64] = column("word")


class Toy(Task[ToySettings, Counts, ToyScored, Trace]):
    name = "toy"
    title = "Toy"
    sentence = "Words that were mentions before are mentions again."
    abstain = "silence"
    decides = ("type",)
    stages = ("gold marked wrong", "mention not proposed", "scored lower")
    default_learner = "count"
    learners = {"count": LearnerInfo("count", "Counting", "Counts words.", ToySettings())}
    scored_type = ToyScored

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: ToySettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[TrainingRound[ToySettings, Counts]]:
        counts: Counter[str] = Counter() if resume is None else Counter(from_json_part(resume["counts"]))
        done = 0 if resume is None else int(resume["done"])
        for index in range(done + 1, settings.epochs + 1):
            time.sleep(settings.pause)
            if settings.fail and index == 2:
                raise RuntimeError("the toy broke")
            for document in train:
                spans = {mention.span for mention in document.gold.mentions}
                for word, span in zip(document.words, document.tokens, strict=True):
                    counts[word] += 1 if span in spans else -1
            model = Model("toy", learner, settings, dict(counts))
            scores = {"f1": self.evaluate(dev, self.predict(dev, model))["f1"]} if dev else {}
            state = {"counts": json_part(dict(counts)), "done": np.array(index)}
            # Which rounds were made by which process.
            details = {"process": os.getpid()}
            build, to_parts = (lambda model=model: model), (lambda state=state: state)
            yield TrainingRound(index, settings.epochs, 1.0 / index, scores, build, details, to_parts)

    def score_trained(
        self, documents: Sequence[Document], model: Model[ToySettings, Counts], *, pins: DocumentPins | None = None
    ) -> ToyScored:
        words = [word for document in documents for word in document.words]
        return ToyScored(
            documents=tuple(documents),
            bias=model.bias,
            word_offsets=np.concatenate([[0], np.cumsum([len(d.tokens) for d in documents])]).astype(np.int64),
            score=np.array([model.state.get(word, UNKNOWN) for word in words], dtype=np.float64),
        )

    def best(self, scored: ToyScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        layers = []
        for d, document in enumerate(scored.documents):
            scores = scored.score[scored.word_offsets[d] : scored.word_offsets[d + 1]]
            mentions = (
                Mention(*span, type="word", score=1.0)
                for span, score in zip(document.tokens, scores.tolist(), strict=True)
                if score > scored.bias and span[1] > span[0]
            )
            layers.append(Layer(tuple(mentions)))
        return layers

    def curve(self, scored: ToyScored, outline: Tally | None = None) -> Curve:
        rows, biases, numbers, gold = [], [], [], []
        for d, document in enumerate(scored.documents):
            spans = {m.span for m in document.gold.mentions}
            gold.append(len(spans))
            scores = scored.score[scored.word_offsets[d] : scored.word_offsets[d + 1]].tolist()
            known = [
                (score, span in spans) for score, span in zip(scores, document.tokens, strict=True) if score > UNKNOWN
            ]
            for bias in [-np.inf, *sorted({score for score, _ in known})]:
                on = [right for score, right in known if score > bias]
                rows.append((sum(on), sum(on), len(on)))
                biases.append(bias)
                numbers.append(d)
        counts = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return merge_paths(np.array(numbers), np.array(biases), counts, np.array(gold, dtype=np.int64))

    def trace(self, scored: ToyScored, *, pins: Sequence[Pin] = ()) -> Trace:
        words = [word for document in scored.documents for word in document.words]
        return list(zip(words, scored.score.tolist(), strict=True))

    def explain(
        self, scored: ToyScored, model: Model[ToySettings, Counts], part: int, *, pins: Sequence[Pin] = ()
    ) -> Explanation:
        word = [word for document in scored.documents for word in document.words][part]
        adds = float(model.state.get(word, UNKNOWN))
        return Explanation(adds, 0.0, (Contribution("word", "lexical", word, adds),))

    def errors(self, scored: ToyScored, predicted: Sequence[Layer]) -> list[Error]:
        """Gold spans that were not found, and words found where gold has none."""
        found: list[Error] = []
        for document, layer in zip(scored.documents, predicted, strict=True):
            theirs = {m.span: m.type or "" for m in document.gold.mentions}
            ours = {m.span for m in layer.mentions}
            for (start, end), name in theirs.items():
                if (start, end) not in ours:
                    stage: Any = "mention not proposed" if end - start > 12 else "scored lower"
                    found.append(
                        Error(document.id, "miss", stage, name, start, end, name, "", 0.5, {"length": end - start})
                    )
            for start, end in ours - theirs.keys():
                found.append(Error(document.id, "false alarm", "scored lower", "", start, end, "", "word", 0.9))
        return found

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        rows = []
        for document, layer in zip(gold, predicted, strict=True):
            theirs, ours = {m.span for m in document.gold.mentions}, {m.span for m in layer.mentions}
            right = len(theirs & ours)
            rows.append({"correct": right, "found": right, "predicted": len(ours), "gold": len(theirs)})
        return rows

    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: ToyScored | None = None) -> Tally:
        made = Tally()
        for row in self.counts(gold, predicted):
            made.count_all(numbers={name: int(value) for name, value in row.items()})
        return made

    def report(self, found: Tally) -> dict[str, Any]:
        right, said, gold = (found.number(name) for name in ("correct", "predicted", "gold"))
        p, r = right / said if said else 0.0, right / gold if gold else 0.0
        return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}

    def list_features(self, model: Model[ToySettings, Counts] | None) -> list[FeatureInfo]:
        return [FeatureInfo("word", "lexical", "The word itself.")]

    def pack(self, model: Model[ToySettings, Counts]) -> dict[str, Any]:
        return {"counts": model.state}

    def unpack(self, learner: str, settings: ToySettings, parts: Mapping[str, Any]) -> Counts:
        counts: Counts = parts["counts"]
        return counts

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        if not any(document.tokens for document in documents):
            return Readiness("no", "No document has words.", "Add one that has.")
        if any(document.gold.mentions for document in documents):
            return Readiness("yes", "There are mentions.")
        return Readiness("no gold", "No mention is marked.", "Mark some.")
