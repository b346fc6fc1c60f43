"""The interface of a system: `Task`, which the command line and the app use to train it, score with it and decide.

A system is two halves that meet in its `Scored` (engine/tasks/scored.py):

    documents ── score(documents, model) ──▶ Scored ──▶ decide, curve, trace, errors

`rounds`, `score` and `explain` are on the left and know about features and learners. Everything on the right takes only
a Scored, so it works just as well with scores written by another program. The bias is part of the Scored:
`scored.at(bias)` changes it. Adding a task to `registry` adds its commands, its form, its page and its contract tests.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, f1, precision, recall
from engine.metrics.tally import Tally
from engine.tasks.explanation import Explanation, FeatureInfo
from engine.tasks.extra import HasTables
from engine.tasks.kept import Kept
from engine.tasks.models import K as K
from engine.tasks.models import LearnerInfo as LearnerInfo
from engine.tasks.models import Model as Model
from engine.tasks.models import Resources as Resources
from engine.tasks.models import S as S
from engine.tasks.models import TrainingRound as TrainingRound
from engine.tasks.outside.brought import OutsideState
from engine.tasks.outside.lookup import look_up
from engine.tasks.outside.records import Exchange
from engine.tasks.readiness import Readiness, Verdict
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve

DocumentPins: TypeAlias = Mapping[str, Sequence[Pin]]
"""Document id -> the decisions that the user fixed there."""

Report: TypeAlias = dict[str, Any]
"""Scores as fractions in [0, 1]; the keys of `evaluate --json`."""

D = TypeVar("D", bound=Scored)
T = TypeVar("T")
"""What the system's view draws."""


class Task(HasTables[D], ABC, Generic[S, K, D, T]):
    """One system: its settings S, the state K of a trained model, its scored corpora D and its traces T."""

    name: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    abstain: ClassVar[str]
    """What declining is called here: Nil, NIL, root, nil relation, no relation."""
    default_learner: ClassVar[str]
    rival: ClassVar[str | None] = None
    """The simpler learner that is compared with the default at a first look; None if there is no other."""
    learners: ClassVar[Mapping[str, LearnerInfo[Any]]]
    decides: ClassVar[tuple[DecisionKind, ...]]
    """The kinds of decisions that a predicted layer of this task holds."""
    stages: ClassVar[tuple[Stage, ...]]
    """The stages at which this system can lose an answer: without those that cannot occur."""
    main_score: ClassVar[tuple[str, ...]] = ("f1",)
    """The path, inside the report, of the one number that runs are ranked by."""
    unit: ClassVar[str] = "links"
    """What the curve's precision and recall count."""
    main_name: ClassVar[str] = "F1"
    """The usual name of the main score."""
    never_declines: ClassVar[float | None] = None  # the bias that stands for “off”, if there is one
    curve_names: ClassVar[tuple[str, str, str]] = ("P", "R", "F")
    """The names of the curve's precision, recall and F where they are shown next to the main score."""
    main_on_curve: ClassVar[bool] = True
    """Whether one of these is the main score; if not, engine/workbench/along.py computes it along the bias."""
    reads: ClassVar[tuple[str, ...]] = ("lexicon",)
    """The `Resources` that training uses."""
    without: ClassVar[Mapping[str, str]] = {}
    """Kind of file in `reads` -> a sentence on what training does without one."""
    gathers: ClassVar[tuple[str, ...]] = ()
    """Kinds of files that training needs and that can be made from the training data if there are none."""
    confidence: ClassVar[Literal["probability", "margin"]] = "probability"
    """How the confidence of an answer is measured: by its probability, or by its lead over the next best."""
    starts_from: ClassVar[Literal["text", "mentions", "pair"]] = "text"
    """What the system is given for a new text: only the text, its mentions, or a pair of mentions with the sentences
    that contain both."""
    template: ClassVar[str] = ""
    """A small example table (CSV) of training data, which people can replace with their own."""
    scored_type: type[D]
    """The system's subclass of Scored, needed to load one."""
    exchange: Exchange[D] | None = None
    """How its scores are exported and those of other programs imported; None if neither is possible."""

    def __init__(self) -> None:
        self._kept: Kept[D] = Kept()

    def forget(self) -> None:
        """Let go of what is held for the next call; it is computed again when it is needed."""
        self._kept.clear()

    # Left of the waist: methods that know features and learners.

    @abstractmethod
    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: S,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[TrainingRound[S, K]]:
        """Train; the caller may leave after any round and keep its model.

        `resume` is what a round of the same training on the same documents was saved as: the next one follows.
        """

    def shares_work(self, settings: S) -> bool:
        """Whether a learner with these settings can use several workers, as its rounds are sums over documents."""
        return True

    def learns_from(self, train: Sequence[Document], settings: S) -> Sequence[Document]:
        """Those of the training documents that a learner with these settings makes use of."""
        return train

    def score(self, documents: Sequence[Document], model: Model[S, K], *, pins: DocumentPins | None = None) -> D:
        """The parts of all documents with the model's scores, at the model's bias.

        What pins name is among the parts even if nothing proposed it, wherever the model can score it.
        """
        brought = model.outside
        if brought is None:
            return self.score_trained(documents, model, pins=pins)
        return self.score_outside(documents, brought, model.bias)

    @abstractmethod
    def score_trained(
        self, documents: Sequence[Document], model: Model[S, K], *, pins: DocumentPins | None = None
    ) -> D:
        """`score` with a model that was trained here."""

    def score_outside(self, documents: Sequence[Document], brought: OutsideState, bias: float) -> D:
        """`score` with what another program gave for these documents."""
        return cast(D, look_up(self, documents, brought, bias))

    @abstractmethod
    def explain(self, scored: D, model: Model[S, K], part: int, *, pins: Sequence[Pin] = ()) -> Explanation:
        """Why a part of a corpus of one document has its score: the only look to the left from a view."""

    def features(self, model: Model[S, K] | None = None) -> list[FeatureInfo]:
        """The features in use, by name, for the app's table; scores of another program have none."""
        return [] if model is not None and model.outside is not None else self.list_features(model)

    @abstractmethod
    def list_features(self, model: Model[S, K] | None) -> list[FeatureInfo]:
        """The features of a model that was trained here, or with None those that a model can have."""

    @abstractmethod
    def pack(self, model: Model[S, K]) -> dict[str, Any]:
        """The model's state as the parts of a model file: arrays, JSON values, bytes."""

    def check(self, learner: str, settings: S, parts: Mapping[str, Any]) -> None:
        """InputError where parts of a model file are not what `pack` makes: asked before `unpack`, which trusts them.

        A system whose parts never reach compiled code may leave it to `unpack` to fail.
        """
        return None

    @abstractmethod
    def unpack(self, learner: str, settings: S, parts: Mapping[str, Any]) -> K:
        """The state from the parts that `pack` made."""

    def opens(self, parts: Mapping[str, Any]) -> tuple[str, ...]:
        """Paths that `unpack` opens besides the model file; check them first if the model came from somebody else."""
        return ()

    def given(self, document: Document, model: Model[S, K]) -> tuple[Mention, ...]:
        """The gold mentions that this model starts from, without the attributes that it decides; empty if it finds its
        own mentions, or if they are the arguments of a bag."""
        return ()

    def scored(
        self,
        documents: Sequence[Document],
        model: Model[S, K],
        *,
        pins: DocumentPins | None = None,
        blocks: Iterable[Sequence[Document]] | None = None,
    ) -> D:
        """`score`, with the latest corpora cached: a curve, a page and a table of errors ask for the same one.

        `blocks` are the same documents in pieces, scored one after the other, so that the caller sees how far it
        is.
        """
        if pins:
            return self.score(documents, model, pins=pins)

        def make() -> D:
            pieces = [] if blocks is None else [self.score(block, model) for block in blocks]
            return self.scored_type.joined(pieces) if pieces else self.score(documents, model)

        return self._kept.get(documents, model, make).at(model.bias)

    def predict(
        self,
        documents: Sequence[Document],
        model: Model[S, K],
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        """The predicted layer of every document, at the model's own bias unless another is given."""
        return self.decide(self.scored(documents, model, pins=pins).at(bias), pins=pins)

    # Right of the waist: nothing here sees a model.

    def decide(self, scored: D, *, pins: DocumentPins | None = None) -> list[Layer]:
        """The predicted layer of every document: the best output under the pins. Answers that came without scores are
        kept unchanged in documents without pins."""
        if scored.answers is None:
            return self.best(scored, pins=pins)
        found = list(scored.answers)
        for d, document in enumerate(scored.documents):
            held = (pins or {}).get(document.id)
            if held:
                [found[d]] = self.best(scored.one(d), pins={document.id: held})
        return found

    @abstractmethod
    def best(self, scored: D, *, pins: DocumentPins | None = None) -> list[Layer]:
        """The best legal output of every document under the pins, as predicted layers."""

    @abstractmethod
    def curve(self, scored: D, outline: Tally | None = None) -> Curve:
        """Precision and recall at every abstain bias.

        `outline` is that of the corpus that these documents are a part of, where they are not all of it.
        """

    def outline(self, scored: D) -> Tally | None:
        """What the biases of the curve are chosen from where it is a grid; None where the curve is exact."""
        return None

    @abstractmethod
    def trace(self, scored: D, *, pins: Sequence[Pin] = ()) -> T:
        """What inference did on a one-document corpus, for the view to draw: a frozen dataclass of the task's own."""

    @abstractmethod
    def errors(self, scored: D, predicted: Sequence[Layer]) -> list[Error]:
        """Every miss and false alarm of the predicted layers, each with the one stage that caused it."""

    @abstractmethod
    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: D | None = None) -> Tally:
        """What these documents add to the scores of a corpus.

        The scored corpus, where there is one, says what could be known: the inventory, the constraints in force.
        """

    @abstractmethod
    def report(self, found: Tally) -> Report:
        """All scores of a corpus, as `evaluate --json` prints them."""

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: D | None = None) -> Report:
        """All scores of a prediction for these documents."""
        return self.report(self.tally(gold, predicted, scored))

    @abstractmethod
    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        """Per document what paired tests need: correct, found, predicted, gold (and what else the task sums).

        `asked` is what `asked` says of the corpus that these documents are a part of, where they are not all of it.
        """

    def asked(self, gold: Sequence[Document]) -> frozenset[str]:
        """What the gold of all documents makes relevant in each of them: the entities that may be named in any."""
        return frozenset()

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """Scores as functions of summed counts, for paired tests: name -> (columns of `counts`, function)."""
        return {
            name: (COLUMNS, function) for name, function in (("precision", precision), ("recall", recall), ("f1", f1))
        }

    def judged(self, gold: Sequence[Document]) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """The scores of `statistics` that gold can tell anything about. Where the main one is not among them, systems
        are ranked by the last."""
        return self.statistics()

    def notable(self, scored: D) -> Tally:
        """The counts from which `notes` are written."""
        return Tally()

    def notes(self, found: Tally) -> list[str]:
        """What somebody who reads scores of these documents should know: input that is missing, for example."""
        return []

    def check_pin(self, scored: D, pin: Pin) -> None:
        """UnknownName or NoPlace where a corpus of one document cannot be held to the pin, whatever else is pinned."""
        return None

    def main_number(self, report: Mapping[str, Any]) -> float:
        """The one number of a report by which runs are ranked."""
        found: Any = report
        for key in self.main_score:
            found = found[key]
        return float(found)

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        """InputError where training on these documents could not use this file, one of the kinds in `reads`. It looks
        at as much of the file as shows that."""
        return None

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        """What this system can do with these documents, what they lack, and how to get it."""
        return Readiness("yes", "There are documents.") if documents else Readiness("no", "There is no document.")

    def fits(self, documents: Sequence[Document]) -> Verdict:
        """Whether these documents can be used here, for the app to offer only what works."""
        return self.readiness(documents).verdict

    def learner(self, name: str | None, preset: str = "default") -> LearnerInfo[S]:
        """A learner by name (None: the default one), with the settings of a preset."""
        name = name or self.default_learner
        if name not in self.learners:
            raise InputError(f"{self.name} has no learner {name!r}; choose from {', '.join(self.learners)}")
        info: LearnerInfo[S] = self.learners[name]
        return dataclasses.replace(info, settings=info.preset(preset))


AnyTask: TypeAlias = Task[Any, Any, Any, Any]
"""Any system, where it does not matter which."""
AnyModel: TypeAlias = Model[Any, Any]
