"""A system small enough to know by heart, for tests of the app: it remembers which words were mentions.

The score of a word is how often it was one minus how often it was not; it is predicted while the score exceeds the
bias. `pause` makes a round last, so that a test can watch and cancel it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engine.data.document import Document, Layer, Mention
from engine.metrics.errors import Error
from engine.settings import Settings, setting
from engine.tasks.base import AnyModel, AnyTask, FeatureInfo, LearnerInfo, Model, Resources, TrainingRound
from engine.tuning.curve import Curve, merge_paths


@dataclass(frozen=True, kw_only=True)
class ToySettings(Settings):
    epochs: int = setting(4, "Passes over the corpus.", low=1, high=1000)
    pause: float = setting(0.0, "Seconds that each pass waits.", low=0.0)
    case: Literal["keep", "fold"] = setting("keep", "Whether case matters.")
    fail: bool = setting(False, "Break down in the second pass.")
    stops: tuple[str, ...] = setting((), "Words that are never mentions.")


class Toy(AnyTask):
    name = "toy"
    title = "Toy"
    sentence = "Words that were mentions before are mentions again."
    abstain = "silence"
    decides = ("type",)
    stages = ("gold marked wrong", "mention not proposed", "scored lower")
    default_learner = "count"
    learners = {"count": LearnerInfo("count", "Counting", "Counts words.", ToySettings())}

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        assert isinstance(settings, ToySettings)
        counts: Counter[str] = Counter()
        for index in range(1, settings.epochs + 1):
            time.sleep(settings.pause)
            if settings.fail and index == 2:
                raise RuntimeError("the toy broke")
            for document in train:
                spans = {mention.span for mention in document.gold.mentions}
                for word, span in zip(document.words, document.tokens, strict=True):
                    counts[word] += 1 if span in spans else -1
            state = dict(counts)
            scores = self._f1(dev, state) if dev else {}
            yield TrainingRound(
                index, settings.epochs, 1.0 / index, scores, lambda s=state: Model("toy", learner, settings, s)
            )

    def _f1(self, documents: Sequence[Document], state: Mapping[str, int]) -> dict[str, float]:
        model = Model("toy", "count", ToySettings(), state)
        return {"f1": self.evaluate(documents, self.predict(documents, model))["f1"]}

    def predict(self, documents: Any, model: AnyModel, *, bias: float | None = None, pins: Any = None) -> list[Layer]:
        at = model.bias if bias is None else bias
        return [
            Layer(
                tuple(
                    Mention(*span, type="word", score=1.0)
                    for word, span in zip(document.words, document.tokens, strict=True)
                    if model.state.get(word, -1e9) > at and span[1] > span[0]
                )
            )
            for document in documents
        ]

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        rows = []
        for document, layer in zip(gold, predicted, strict=True):
            theirs, ours = {m.span for m in document.gold.mentions}, {m.span for m in layer.mentions}
            right = len(theirs & ours)
            rows.append({"correct": right, "found": right, "predicted": len(ours), "gold": len(theirs)})
        return rows

    def evaluate(self, gold: Any, predicted: Any, model: AnyModel | None = None) -> dict[str, Any]:
        total: Counter[str] = Counter()
        for row in self.counts(gold, predicted):
            total.update(row)  # type: ignore[arg-type]
        p = total["correct"] / total["predicted"] if total["predicted"] else 0.0
        r = total["correct"] / total["gold"] if total["gold"] else 0.0
        return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}

    def curve(self, documents: Sequence[Document], model: AnyModel) -> Curve:
        rows, biases, numbers, gold = [], [], [], 0
        for d, document in enumerate(documents):
            spans = {m.span for m in document.gold.mentions}
            gold += len(spans)
            scored = [
                (model.state[word], span in spans)
                for word, span in zip(document.words, document.tokens, strict=True)
                if word in model.state
            ]
            for bias in [-np.inf, *sorted({float(score) for score, _ in scored})]:
                on = [right for score, right in scored if score > bias]
                rows.append((sum(on), sum(on), len(on)))
                biases.append(bias)
                numbers.append(d)
        return merge_paths(np.array(numbers), np.array(biases), np.array(rows, dtype=np.int64).reshape(-1, 3), gold)

    def trace(self, document: Document, model: AnyModel, *, bias: float | None = None, pins: Any = ()) -> Any:
        return [(word, model.state.get(word, 0)) for word in document.words]

    def errors(self, documents: Any, predicted: Any, model: AnyModel, *, bias: float | None = None) -> list[Error]:
        """Gold spans that were not found, and words found where gold has none."""
        found: list[Error] = []
        for document, layer in zip(documents, predicted, strict=True):
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

    def features(self, model: AnyModel | None = None) -> list[FeatureInfo]:
        return [FeatureInfo("word", "lexical", "The word itself.")]

    def pack(self, model: AnyModel) -> dict[str, Any]:
        return {"counts": model.state}

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> Any:
        return parts["counts"]

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        if not any(document.tokens for document in documents):
            return "no"
        return "yes" if any(document.gold.mentions for document in documents) else "no gold"
