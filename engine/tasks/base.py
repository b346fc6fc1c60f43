"""What the command line and the app know of a system: its learners, and six questions it answers.

train (`rounds`), `predict`, `evaluate`, `curve`, `trace`, `errors`. A task works on whole corpora; one document is
a corpus of one. Adding a task to `registry` adds its commands, its form, its page and its contract tests.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, f1, precision, recall
from engine.settings import Settings, from_json
from engine.store import modelfile
from engine.tuning.curve import Curve

DocumentPins: TypeAlias = Mapping[str, Sequence[Pin]]
"""Document id -> what the user fixed there."""

Report: TypeAlias = dict[str, Any]
"""Scores as fractions in [0, 1]; the keys of `evaluate --json`."""


@dataclass(frozen=True)
class Resources:
    """Files and machinery that a task may use besides the corpus."""

    lexicon: tuple[Path, ...] = ()
    vectors: Path | None = None
    gazetteers: tuple[Path, ...] = ()
    constraints: Path | None = None
    jobs: int = 1
    cluster: str | None = None


@dataclass(frozen=True)
class LearnerInfo:
    """One way to train a system: its name, a sentence for the user, its settings with their defaults."""

    name: str
    title: str
    sentence: str
    settings: Settings
    grid: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Settings that the paper chooses on dev, and the values it tries; empty where it names none."""


@dataclass(frozen=True, eq=False)
class Model:
    """A trained system, ready to predict. `state` belongs to the task; `bias` is the chosen operating point."""

    task: str
    learner: str
    settings: Settings
    state: Any
    bias: float = 0.0
    scores: Mapping[str, Any] = field(default_factory=dict)
    data_hash: str = ""

    def with_bias(self, bias: float) -> Model:
        return dataclasses.replace(self, bias=bias)


@dataclass(frozen=True)
class TrainingRound:
    """One round as the user sees it. `build` makes the model as it stands, at the moment it is wanted."""

    index: int
    total: int
    objective: float
    scores: Mapping[str, float]
    build: Callable[[], Model]
    details: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def model(self) -> Model:
        return self.build()


@dataclass(frozen=True)
class FeatureInfo:
    """A feature as the app lists it."""

    name: str
    group: str
    help: str


class Task(ABC):
    """One of the five systems."""

    name: ClassVar[str]
    title: ClassVar[str]
    sentence: ClassVar[str]
    abstain: ClassVar[str]
    """What declining is called here: Nil, NIL, root, nil relation, no relation."""
    default_learner: ClassVar[str]
    learners: ClassVar[Mapping[str, LearnerInfo]]
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

    def main_number(self, report: Mapping[str, Any]) -> float:
        """The one number of a report that runs are ranked by."""
        found: Any = report
        for key in self.main_score:
            found = found[key]
        return float(found)

    @abstractmethod
    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        """Train; the caller may leave after any round and keep its model."""

    @abstractmethod
    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        """The predicted layer of every document, at the model's own bias unless another is given."""

    @abstractmethod
    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        """All scores of a prediction, as `evaluate --json` prints them.

        The model, where there is one, says what could be known: its inventory, the bags it was trained for.
        """

    @abstractmethod
    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        """Per document what paired tests need: correct, found, predicted, gold (and what else the task sums)."""

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """Scores as functions of summed counts, for paired tests: name -> (columns of `counts`, function)."""
        return {
            name: (COLUMNS, function) for name, function in (("precision", precision), ("recall", recall), ("f1", f1))
        }

    @abstractmethod
    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        """Precision and recall at every abstain bias."""

    @abstractmethod
    def trace(
        self,
        document: Document,
        model: Model,
        *,
        bias: float | None = None,
        pins: Sequence[Pin] = (),
    ) -> Any:
        """What inference did on one document, for its view to draw: a frozen dataclass of the task."""

    @abstractmethod
    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        """Every miss and false alarm with the one stage to blame."""

    @abstractmethod
    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        """The features in use, by name, for the app's table."""

    @abstractmethod
    def pack(self, model: Model) -> dict[str, Any]:
        """The model's state as parts of a model file: arrays, JSON values, bytes."""

    @abstractmethod
    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> Any:
        """The state that `pack` took apart."""

    def extra_tables(
        self, documents: Sequence[Document], model: Model, *, bias: float
    ) -> dict[str, list[dict[str, Any]]]:
        """Tables of the task's own for a report at this bias, by name: a constraint ledger, a ranking."""
        return {}

    def given(self, document: Document, model: Model) -> tuple[Mention, ...]:
        """Mentions of gold that this model starts from, without what it decides about them; empty where it finds its
        own, or where they are the arguments of a bag."""
        return ()

    def check_pin(self, document: Document, model: Model, pin: Pin) -> None:
        """UnknownName or NoPlace where the model cannot be held to the pin, whatever else is pinned."""
        return None

    def with_constraints(self, model: Model, path: Path) -> Model:
        """The model under the constraints of a file in place of its own."""
        raise InputError(f"{self.name} has no constraints", file=path)

    def forced_decisions(
        self, documents: Sequence[Document], model: Model, relation: str, *, bias: float | None = None
    ) -> Report:
        """How often the right pair is named where a relation is known to hold, by system."""
        raise InputError(f"{self.name} has no test of forced decisions")

    def rank_entities(self, document: Document, model: Model, span: tuple[int, int]) -> list[tuple[str, float]]:
        """Entities for this span with their probabilities, best first; empty for a task that does not link."""
        return []

    def find_entities(self, model: Model, words: str, limit: int = 20) -> list[str]:
        """Entities of the model's knowledge base for what somebody types; empty for a task that has none."""
        return []

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        """Whether these documents can be used here, for the app to offer only what works."""
        return "yes" if documents else "no"

    def learner(self, name: str | None) -> LearnerInfo:
        name = name or self.default_learner
        if name not in self.learners:
            raise InputError(f"{self.name} has no learner {name!r}; choose from {', '.join(self.learners)}")
        return self.learners[name]


def save_model(task: Task, model: Model, path: Path) -> None:
    header = {
        "task": model.task,
        "learner": model.learner,
        "settings": dataclasses.asdict(model.settings),
        "bias": model.bias,
        "scores": dict(model.scores),
        "data_hash": model.data_hash,
    }
    modelfile.write(path, header, task.pack(model))


def load_model(task: Task, path: Path) -> Model:
    header, parts = modelfile.read(path)
    if header["task"] != task.name:
        raise InputError(f"this is a model for {header['task']}, not for {task.name}", file=path)
    info = task.learner(header["learner"])
    try:
        settings = from_json(type(info.settings), header["settings"])
    except ValueError as error:
        raise InputError(f"the model was made by another version ({error}): train it again", file=path) from error
    try:
        state = task.unpack(info.name, settings, parts)
    except KeyError as error:
        raise InputError(
            f"the model was made by another version (it lacks the part {error}): train it again", file=path
        ) from error
    return Model(
        task=task.name,
        learner=info.name,
        settings=settings,
        state=state,
        bias=header["bias"],
        scores=header["scores"],
        data_hash=header["data_hash"],
    )
