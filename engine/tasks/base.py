"""What the command line and the app know of a system: how it learns, how it scores, and what is done with the scores.

A system is two halves that meet in its `Scored` (engine/tasks/scored.py):

    documents ── score(documents, model) ──▶ Scored ──▶ decide, curve, trace, errors

`rounds`, `score` and `explain` stand on the left and know features and learners. What stands on the right takes a
Scored and nothing else, so it works as well for scores that another program wrote. The bias is part of the Scored:
`scored.at(bias)` moves it. Adding a task to `registry` adds its commands, its form, its page and its contract tests.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, f1, precision, recall
from engine.settings import Settings, from_json
from engine.store import modelfile
from engine.tasks.kept import Kept
from engine.tasks.outside import Exchange
from engine.tasks.outside_run import OUTSIDE, OutsideState
from engine.tasks.outside_run import pack as pack_outside
from engine.tasks.outside_run import unpack as unpack_outside
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

    @cached_property
    def model(self) -> Model[S, K]:
        return self.build()


@dataclass(frozen=True)
class FeatureInfo:
    """A feature as the app lists it."""

    name: str
    group: str
    help: str


@dataclass(frozen=True)
class Contribution:
    """One feature of a part: its value, as a number or in words, and what it adds to the part's score."""

    name: str
    group: str
    value: float | str
    adds: float | None
    """None where the scorer cannot tell."""


@dataclass(frozen=True)
class Explanation:
    """Why a part has its score. `base` is the score before any feature speaks."""

    score: float
    base: float
    contributions: tuple[Contribution, ...]
    """The largest first."""

    @classmethod
    def bare(cls, score: float) -> Explanation:
        """A score of which nobody here can say how it came about."""
        return Explanation(score, score, ())


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
    reads: ClassVar[tuple[str, ...]] = ("lexicon",)
    """Which of the `Resources` training makes use of."""
    confidence: ClassVar[Literal["probability", "margin"]] = "probability"
    """How sure an answer is: by its probability, or by how much it leads."""
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
        """Train; the caller may leave after any round and keep its model.

        `resume` is what a round of the same training on the same documents was saved as: the next one follows.
        """

    @abstractmethod
    def score(self, documents: Sequence[Document], model: Model[S, K], *, pins: DocumentPins | None = None) -> D:
        """The parts of all documents with the model's scores, at the model's bias.

        What pins name is among the parts even if nothing proposed it, wherever the model can score it.
        """

    @abstractmethod
    def explain(self, scored: D, model: Model[S, K], part: int, *, pins: Sequence[Pin] = ()) -> Explanation:
        """Why a part of a corpus of one document has its score: the only look to the left from a view."""

    @abstractmethod
    def features(self, model: Model[S, K] | None = None) -> list[FeatureInfo]:
        """The features in use, by name, for the app's table."""

    @abstractmethod
    def pack(self, model: Model[S, K]) -> dict[str, Any]:
        """What the model knows as parts of a model file: arrays, JSON values, bytes."""

    def check(self, learner: str, settings: S, parts: Mapping[str, Any]) -> None:
        """InputError where parts of a model file are not what `pack` makes: asked before `unpack`, which trusts them.

        A system whose parts never reach compiled code may leave it to `unpack` to fail.
        """
        return None

    @abstractmethod
    def unpack(self, learner: str, settings: S, parts: Mapping[str, Any]) -> K:
        """What `pack` took apart."""

    def opens(self, parts: Mapping[str, Any]) -> tuple[str, ...]:
        """Paths that `unpack` opens besides the model file: whoever got the model from others looks at them first."""
        return ()

    def given(self, document: Document, model: Model[S, K]) -> tuple[Mention, ...]:
        """Mentions of gold that this model starts from, without what it decides about them; empty where it finds its
        own, or where they are the arguments of a bag."""
        return ()

    def scored(self, documents: Sequence[Document], model: Model[S, K], *, pins: DocumentPins | None = None) -> D:
        """`score`, where the latest corpora are kept: a curve, a page and a table of errors ask for the same one."""
        if pins:
            return self.score(documents, model, pins=pins)
        return self._kept.get(documents, model, lambda: self.score(documents, model)).at(model.bias)

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

    @abstractmethod
    def decide(self, scored: D, *, pins: DocumentPins | None = None) -> list[Layer]:
        """The best legal output of every document under the pins, as predicted layers."""

    @abstractmethod
    def curve(self, scored: D) -> Curve:
        """Precision and recall at every abstain bias."""

    @abstractmethod
    def trace(self, scored: D, *, pins: Sequence[Pin] = ()) -> T:
        """What inference did on a corpus of one document, for its view to draw: a frozen dataclass of the task."""

    @abstractmethod
    def errors(self, scored: D, predicted: Sequence[Layer]) -> list[Error]:
        """Every miss and false alarm of predicted layers with the one stage to blame."""

    @abstractmethod
    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: D | None = None) -> Report:
        """All scores of a prediction, as `evaluate --json` prints them.

        The scored corpus, where there is one, says what could be known: the inventory, the constraints in force.
        """

    @abstractmethod
    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        """Per document what paired tests need: correct, found, predicted, gold (and what else the task sums)."""

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """Scores as functions of summed counts, for paired tests: name -> (columns of `counts`, function)."""
        return {
            name: (COLUMNS, function) for name, function in (("precision", precision), ("recall", recall), ("f1", f1))
        }

    def judged(self, gold: Sequence[Document]) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """The scores of `statistics` that gold can tell anything about. Where the main one is not among them, systems
        are ranked by the last."""
        return self.statistics()

    def notes(self, scored: D) -> list[str]:
        """What somebody who reads scores of these documents should know: input that is missing, for example."""
        return []

    def extra_tables(self, scored: D) -> dict[str, list[dict[str, Any]]]:
        """Tables of the task's own for a report, by name: a constraint ledger, a ranking."""
        return {}

    def check_pin(self, scored: D, pin: Pin) -> None:
        """UnknownName or NoPlace where a corpus of one document cannot be held to the pin, whatever else is pinned."""
        return None

    def main_number(self, report: Mapping[str, Any]) -> float:
        """The one number of a report that runs are ranked by."""
        found: Any = report
        for key in self.main_score:
            found = found[key]
        return float(found)

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        """Whether these documents can be used here, for the app to offer only what works."""
        return "yes" if documents else "no"

    def learner(self, name: str | None) -> LearnerInfo[S]:
        name = name or self.default_learner
        if name not in self.learners:
            raise InputError(f"{self.name} has no learner {name!r}; choose from {', '.join(self.learners)}")
        return self.learners[name]


AnyTask: TypeAlias = Task[Any, Any, Any, Any]
"""A system where it does not matter which."""
AnyModel: TypeAlias = Model[Any, Any]


def save_model(task: Task[S, K, D, T], model: Model[S, K], path: Path) -> None:
    header = {
        "task": model.task,
        "learner": model.learner,
        "settings": dataclasses.asdict(model.settings),
        "bias": model.bias,
        "scores": dict(model.scores),
        "data_hash": model.data_hash,
    }
    state = model.state
    modelfile.write(path, header, pack_outside(state) if isinstance(state, OutsideState) else task.pack(model))


def load_model(task: Task[S, K, D, T], path: Path, *, most_bytes: int = modelfile.MOST_BYTES) -> Model[S, K]:
    """The model in a file. Whatever is wrong with the file is an InputError: it may come from anywhere."""
    header, parts = modelfile.read(path, most_bytes)
    _check_header(header, path)
    if header["task"] != task.name:
        raise InputError(f"this is a model for {header['task']}, not for {task.name}", file=path)
    outside = header["learner"] == OUTSIDE
    info = task.learner(None if outside else header["learner"])
    try:
        settings = from_json(type(info.settings), header["settings"])
    except (ValueError, TypeError) as error:
        raise InputError(f"the model was made by another version ({error}): train it again", file=path) from error
    state: Any
    try:
        if outside:
            state = unpack_outside(parts)
        else:
            task.check(info.name, settings, parts)
            state = task.unpack(info.name, settings, parts)
    except InputError as error:
        raise error.at(path) from error
    except KeyError as error:
        raise InputError(
            f"the model was made by another version (it lacks the part {error}): train it again", file=path
        ) from error
    except _DAMAGE as error:
        raise InputError(f"the model is damaged ({error}): train it again", file=path) from error
    return Model(
        task=task.name,
        learner=OUTSIDE if outside else info.name,
        settings=settings,
        state=state,
        bias=float(header["bias"]),
        scores=header["scores"],
        data_hash=header["data_hash"],
    )


_DAMAGE: Final = (TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)
"""What parts that are not as they should be can raise when they are put together."""

_HEADER: Final[Mapping[str, type | tuple[type, ...]]] = {
    "task": str,
    "learner": str,
    "settings": dict,
    "bias": (int, float),
    "scores": dict,
    "data_hash": str,
}


def _check_header(header: Mapping[str, Any], path: Path) -> None:
    for name, kind in _HEADER.items():
        if name not in header or not isinstance(header[name], kind) or isinstance(header[name], bool):
            raise InputError(f"the model is damaged (its header has no sound {name!r}): train it again", file=path)
    try:
        bias = float(header["bias"])
    except OverflowError:
        bias = math.nan
    if math.isnan(bias):
        raise InputError("the model is damaged (its bias is no number): train it again", file=path)
