"""`nlp.add_pipe("espalier_linking", config={"model": "linking.zip"})`: one component for every system. Entry
points make them known to spaCy wherever Espalier is installed.

Links and types become entities, clusters become span groups, relations `doc._.relations`; every mention stands, with
its score, in the span group "espalier" too. Systems that start from given mentions take the entities that are there.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from spacy.language import Language
from spacy.tokens import Doc

from engine.data.document import Layer
from engine.data.errors import InputError
from engine.spacy.bags import bags_of
from engine.spacy.conversion import annotate, document_of, records
from engine.tasks.base import AnyModel
from engine.tasks.registry import get
from engine.tasks.saving import load_model

FILE: Final = "model.zip"
KEY: Final = "espalier"
SETTINGS: Final = {"model": "", "bias": None, "key": KEY, "label": "ENTITY"}
"""`model` is a model file, empty where a pipeline is loaded from disk; `bias` None keeps the model's own."""


class Component:
    """A system with one model. It is loaded when it is first needed: a pipeline that is read from disk brings its own
    copy, and the file that it was made with may be gone by then."""

    def __init__(self, name: str, system: str, model: str, bias: float | None, key: str, label: str) -> None:
        self.name, self.system, self.bias, self.key, self.label = name, system, bias, key, label
        self._path: Path | None = Path(model) if model else None
        self._model: AnyModel | None = None

    def loaded(self) -> AnyModel:
        """The model. It is no attribute: spaCy looks whether a new component has one of the name `model`, in any order
        with other names, and would load it, or fail where the pipeline has not been read yet."""
        if self._model is None:
            if self._path is None:
                raise InputError(f"{self.name} has no model; name a file: config={{'model': '{self.system}.zip'}}")
            self._model = load_model(get(self.system), self._path)
        return self._model

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 32) -> Iterator[Doc]:
        """Documents in blocks: candidates and features of several are made at once."""
        docs = iter(stream)
        while block := list(islice(docs, batch_size)):
            yield from self._decided(block)

    def _decided(self, docs: list[Doc]) -> Iterator[Doc]:
        task, model = get(self.system), self.loaded()
        documents = [document_of(doc, str(i)) for i, doc in enumerate(docs)]
        scored = task.score(documents, model).at(model.bias if self.bias is None else self.bias)
        for doc, layer in zip(docs, task.decide(scored), strict=True):
            annotate(doc, layer, key=self.key, label=self.label)
            yield doc

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self._path is None:
            raise InputError(f"{self.name} has no model that could be written")
        shutil.copyfile(self._path, folder / FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Component:
        self._path, self._model = Path(path) / FILE, None
        load_model(get(self.system), self._path)
        return self


class BagComponent(Component):
    """Distant relations: a document is decided about as a corpus of its own, in which every pair of names is a bag."""

    def _decided(self, docs: list[Doc]) -> Iterator[Doc]:
        task, model = get(self.system), self.loaded()
        found = [list(bags_of(doc)) for doc in docs]
        bags = [one.bag for own in found for one in own]
        layers: Iterator[Layer] = iter(())
        if bags:
            scored = task.score(bags, model).at(model.bias if self.bias is None else self.bias)
            layers = iter(task.decide(scored))
        for doc, own in zip(docs, found, strict=True):
            doc._.relations = [record for one in own for record in records(next(layers), one.spans)]
            yield doc


def _factory(system: str, kind: type[Component] = Component) -> Callable[..., Component]:
    def make(nlp: Language, name: str, model: str, bias: float | None, key: str, label: str) -> Component:
        return kind(name, system, model, bias, key, label)

    Language.factory(f"espalier_{system}", default_config=dict(SETTINGS), func=make)
    return make


linking: Final = _factory("linking")
disambiguation: Final = _factory("disambiguation")
coreference: Final = _factory("coreference")
joint: Final = _factory("joint")
distant: Final = _factory("distant", BagComponent)
