"""What the command line and the app know of a system: how it learns, how it scores, and what is done with the scores.

A system is two halves that meet in its `Scored` (engine/tasks/scored.py):

    documents ── score(documents, model) ──▶ Scored ──▶ decide, curve, trace, errors

`rounds`, `score` and `explain` stand on the left and know features and learners. What stands on the right takes a
Scored and nothing else, so it works as well for scores that another program wrote. The bias is part of the Scored:
`scored.at(bias)` moves it. Adding a task to `registry` adds its commands, its form, its page and its contract tests.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, f1, precision, recall
from engine.metrics.tally import Tally
from engine.settings import Settings
from engine.tasks.explanation import Explanation, FeatureInfo
from engine.tasks.kept import Kept
from engine.tasks.outside.records import Exchange
from engine.tasks.presets import preset_of
from engine.tasks.readiness import Readiness, Verdict
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve

DocumentPins: TypeAlias = Mapping[str, Sequence[Pin]]
"""Document id -> what the user fixed there."""

Report: TypeAlias = dict[str, Any]
"""Scores as fractions in [0, 1]; the keys of `evaluate --json`."""

S = TypeVar("S", bound=Settings)
K = TypeVar("K")
"""What a trained model of the system knows."""
D = TypeVar("D", bound=Scored)
T = TypeVar("T")
"""What the system's view draws."""


@dataclass(frozen=True)
class Resources:
    """Files and machinery that a task may use besides the corpus."""

    lexicon: tuple[Path, ...] = ()
    vectors: tuple[Path, ...] = ()
    gazetteers: tuple[Path, ...] = ()
    constraints: Path | None = None
    jobs: int = 1
    cluster: str | None = None


@dataclass(frozen=True)
class LearnerInfo(Generic[S]):
    """One way to train a system: its name, a sentence for the user, its settings with their defaults."""

    name: str
    title: str
    sentence: str
    settings: S
    grid: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Settings that the paper chooses on dev, and the values it tries; empty where it names none."""
    paper: Mapping[str, Any] = field(default_factory=dict)
    """What the preset `paper` changes of the settings: the learner as its paper prints it."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What the preset `quick` changes of the settings, for a first look."""
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Settings that depend on the amount of data, and the values that cross-validation tries, the default first."""

    def preset(self, name: str) -> S:
        """The settings under a preset; InputError where there is none of this name."""
        preset = preset_of(name)
        changed = {"default": {}, "paper": self.paper, "quick": self.quick}[preset]
        return dataclasses.replace(self.settings, **changed)


@dataclass(frozen=True, eq=False)
class Model(Generic[S, K]):
    """A trained system, ready to score. `state` is what it knows; `bias` is the chosen operating point."""

    task: str
    learner: str
    settings: S
    state: K
    bias: float = 0.0
    scores: Mapping[str, Any] = field(default_factory=dict)
    data_hash: str = ""
    chosen: str = ""
    """Which settings cross-validation on the training documents chose, in words; empty where it chose none."""
    notes: tuple[str, ...] = ()
    """What whoever uses it should know of its training: that it stopped before it had solved its problem."""

    def with_bias(self, bias: float) -> Model[S, K]:
        return dataclasses.replace(self, bias=bias)


@dataclass(frozen=True)
class TrainingRound(Generic[S, K]):
    """One round as the user sees it. `build` makes the model as it stands, at the moment it is wanted."""

    index: int
    total: int
    objective: float
    scores: Mapping[str, float]
    build: Callable[[], Model[S, K]]
    details: Mapping[str, Any] = field(default_factory=dict)
    to_parts: Callable[[], Saved] | None = None
    """What `rounds(..., resume=...)` goes on from, to be asked for before the next round is made; None where a training
    that was stopped begins again."""
    notes: tuple[str, ...] = ()
    """What the model of this round should say of its training."""

    @cached_property
    def model(self) -> Model[S, K]:
        return dataclasses.replace(self.build(), notes=self.notes)


class Task(ABC, Generic[S, K, D, T]):
    """One system: its settings S, what a model of it knows K, its scored corpora D and its traces T."""

    name: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    abstain: ClassVar[str]
    """What declining is called here: Nil, NIL, root, nil relation, no relation."""
    default_learner: ClassVar[str]
    rival: ClassVar[str | None] = None
    """The simpler learner that a first look sets against the default; None where there is no other."""
    learners: ClassVar[Mapping[str, LearnerInfo[Any]]]
    decides: ClassVar[tuple[DecisionKind, ...]]
    """What kinds of decisions a predicted layer of this task holds."""
    stages: ClassVar[tuple[Stage, ...]]
    """Where this system can lose an answer. What it decides exactly nothing can prune; given mentions are all there."""
    main_score: ClassVar[tuple[str, ...]] = ("f1",)
    """Where in the report the one number stands that runs are ranked by."""
    unit: ClassVar[str] = "links"
    """What precision and recall of the curve count."""
    main_name: ClassVar[str] = "F1"
    """What people call that number."""
    curve_names: ClassVar[tuple[str, str, str]] = ("P", "R", "F")
    """What precision, recall and F of the curve are called where they stand beside the main score."""
    main_on_curve: ClassVar[bool] = True
    """Whether one of these is the main score; if not, it is computed along the bias (engine/workbench/along.py)."""
    reads: ClassVar[tuple[str, ...]] = ("lexicon",)
    """Which of the `Resources` training makes use of."""
    without: ClassVar[Mapping[str, str]] = {}
    """Kind of file in `reads` -> what training does without one, as a sentence."""
    gathers: ClassVar[tuple[str, ...]] = ()
    """Kinds of files that training needs and that can be made of the training data where there is none."""
    confidence: ClassVar[Literal["probability", "margin"]] = "probability"
    """How sure an answer is: by its probability, or by how much it leads."""
    starts_from: ClassVar[Literal["text", "mentions", "pair"]] = "text"
    """What the system is given of a new text: the text alone, its mentions, or a pair of them and the sentences that
    have both."""
    template: ClassVar[str] = ""
    """A small table (CSV) of what the system learns from, for people to fill with their own."""
    scored_type: type[D]
    """The system's own Scored, for loading one."""
    exchange: Exchange[D] | None = None
    """How its scores go out, and how those of other programs come in; None where they do not."""

    def __init__(self) -> None:
        self._kept: Kept[D] = Kept()

    # Left of the waist: what knows features and learners.

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
        """Train; the caller may stop after any round and keep its model.

        `resume` is a saved round of the same training on the same documents: training continues with the next one.
        """

    def learns_from(self, train: Sequence[Document], settings: S) -> Sequence[Document]:
        """The training documents that a learner with these settings uses."""
        return train

    @abstractmethod
    def score(self, documents: Sequence[Document], model: Model[S, K], *, pins: DocumentPins | None = None) -> D:
        """The parts of all documents with the model's scores, at the model's bias.

        Everything that pins name is among the parts, even if nothing proposed it, as long as the model can score it.
        """

    @abstractmethod
    def explain(self, scored: D, model: Model[S, K], part: int, *, pins: Sequence[Pin] = ()) -> Explanation:
        """Why a part of a corpus of one document has its score: the only way for a view to look to the left."""

    @abstractmethod
    def features(self, model: Model[S, K] | None = None) -> list[FeatureInfo]:
        """The features in use, by name, for the app's table."""

    @abstractmethod
    def pack(self, model: Model[S, K]) -> dict[str, Any]:
        """What the model knows as parts of a model file: arrays, JSON values, bytes."""

    def check(self, learner: str, settings: S, parts: Mapping[str, Any]) -> None:
        """InputError if parts of a model file are not what `pack` makes: called before `unpack`, which trusts them.

        A system whose parts never reach compiled code may leave it to `unpack` to fail.
        """
        return None

    @abstractmethod
    def unpack(self, learner: str, settings: S, parts: Mapping[str, Any]) -> K:
        """What `pack` took apart."""

    def opens(self, parts: Mapping[str, Any]) -> tuple[str, ...]:
        """Paths that `unpack` opens besides the model file: check them first if the model comes from others."""
        return ()

    def given(self, document: Document, model: Model[S, K]) -> tuple[Mention, ...]:
        """Mentions of gold that this model starts from, without what it decides about them; empty where it finds its
        own, or where they are the arguments of a bag."""
        return ()

    def scored(
        self,
        documents: Sequence[Document],
        model: Model[S, K],
        *,
        pins: DocumentPins | None = None,
        blocks: Iterable[Sequence[Document]] | None = None,
    ) -> D:
        """`score` with a cache of the latest corpora: a curve, a page and a table of errors use the same one.

        `blocks` are the same documents in pieces, scored one after the other, so that the caller can show progress.
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
        """What is predicted for every document: the best output under the pins. Answers that came without scores stay
        as they are wherever nothing is pinned."""
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

        `outline` is that of the whole corpus, if these documents are only a part of it.
        """

    def outline(self, scored: D) -> Tally | None:
        """The basis for choosing the biases of the curve if it is a grid; None if the curve is exact."""
        return None

    @abstractmethod
    def trace(self, scored: D, *, pins: Sequence[Pin] = ()) -> T:
        """What inference did on a corpus of one document, for its view to draw: a frozen dataclass of the task."""

    @abstractmethod
    def errors(self, scored: D, predicted: Sequence[Layer]) -> list[Error]:
        """Every miss and false alarm of predicted layers with the one stage to blame."""

    @abstractmethod
    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: D | None = None) -> Tally:
        """The contribution of these documents to the scores of a corpus.

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

        `asked` is the result of `asked` for the whole corpus, if these documents are only a part of it.
        """

    def asked(self, gold: Sequence[Document]) -> frozenset[str]:
        """What gold of all documents asks of each: entities that may be named in any of them."""
        return frozenset()

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """Scores as functions of summed counts, for paired tests: name -> (columns of `counts`, function)."""
        return {
            name: (COLUMNS, function) for name, function in (("precision", precision), ("recall", recall), ("f1", f1))
        }

    def judged(self, gold: Sequence[Document]) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """The scores of `statistics` that can be computed with this gold. If the main one is not among them, systems
        are ranked by the last."""
        return self.statistics()

    def notable(self, scored: D) -> Tally:
        """What `notes` are made of."""
        return Tally()

    def notes(self, found: Tally) -> list[str]:
        """What a reader of scores on these documents should know: missing input, for example."""
        return []

    def extra_tables(self, scored: D) -> dict[str, list[dict[str, Any]]]:
        """Tables of the task's own for a report, by name: a constraint ledger, a ranking."""
        return {}

    def check_pin(self, scored: D, pin: Pin) -> None:
        """UnknownName or NoPlace if the pin cannot hold in a corpus of one document, whatever else is pinned."""
        return None

    def main_number(self, report: Mapping[str, Any]) -> float:
        """The one number of a report by which runs are ranked."""
        found: Any = report
        for key in self.main_score:
            found = found[key]
        return float(found)

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        """InputError if training on these documents could not use this file, one of the kinds in `reads`. Reads only
        as much of the file as necessary."""
        return None

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        """What can be done here with these documents, what they lack, and how to get it."""
        return Readiness("yes", "There are documents.") if documents else Readiness("no", "There is no document.")

    def fits(self, documents: Sequence[Document]) -> Verdict:
        """Whether these documents can be used here, so that the app offers only what works."""
        return self.readiness(documents).verdict

    def learner(self, name: str | None, preset: str = "default") -> LearnerInfo[S]:
        """A learner by name (None: the default one), with the settings of a preset."""
        name = name or self.default_learner
        if name not in self.learners:
            raise InputError(f"{self.name} has no learner {name!r}; choose from {', '.join(self.learners)}")
        info: LearnerInfo[S] = self.learners[name]
        return dataclasses.replace(info, settings=info.preset(preset))


AnyTask: TypeAlias = Task[Any, Any, Any, Any]
"""A system where it does not matter which."""
AnyModel: TypeAlias = Model[Any, Any]
