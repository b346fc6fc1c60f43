"""A workspace in which everything that people can name, write or upload is hostile, with a trained run for each system,
and a run of extreme scores for each: beyond all measure, all the same, hundreds of candidates."""

from __future__ import annotations

import dataclasses
import json
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from engine.corpora import data_hash, read
from engine.corpora.scores.records import stream
from engine.data.document import Document
from engine.data.edits import Comment, MarkDone
from engine.data.labels.kinds import EntityType, LabelSet
from engine.store.runs import LONGEST_NAME
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.joint.constraints.language import from_json, to_toml
from engine.tasks.outside.brought import OUTSIDE
from engine.tasks.outside.run import outside_model
from engine.tasks.saving import save_model
from engine.workbench.team import labelling
from tests.fuzz.models import KINDS, SAMPLES
from tests.trials.hostile import PAYLOADS, Poison, degenerate, poisoned

LEARNERS: Final = {
    "linking": "linking-linear",
    "disambiguation": "disambiguation-bsg",
    "coreference": "coreference-local",
    "distant": "distant",
    "joint": "joint",
}
"""System -> the kind of small model that is trained on its hostile sample."""


@dataclass(frozen=True)
class Place:
    """A corpus and a run that pages are opened with."""

    name: str
    system: str
    corpus: str
    run: str


def make(directory: Path, systems: Sequence[str]) -> list[Place]:
    """Make the workspace; what there is to look at."""
    workspace = Workspace.open(directory)
    empty = workspace.add_corpus(f"degenerate {PAYLOADS[0]}", degenerate())
    found = []
    for system in systems:
        hostile = _hostile(workspace, system)
        found += [hostile, Place(f"{system} degenerate", system, empty, hostile.run), _extreme(workspace, system)]
    for kind, file in (("lexicon", "names.tsv"), ("gazetteers", "list.txt")):
        workspace.add_resource(kind, f"{PAYLOADS[0]} {file}", b"Ada\tAda\t1\n", name=PAYLOADS[1])
    workspace.close()
    return found


def _hostile(workspace: Workspace, system: str) -> Place:
    poison = Poison()
    documents = {
        split: poisoned(read(next((SAMPLES / system).glob(f"{split}.*")))[:24], poison) for split in ("train", "dev")
    }
    ids = {split: workspace.add_corpus(poison.name(system), documents[split], split=split) for split in documents}
    run = _train(workspace, system, ids, poison)
    _talked_about(workspace, ids["dev"], documents["dev"])
    return Place(system, system, ids["dev"], run)


def _train(workspace: Workspace, system: str, ids: Mapping[str, str], poison: Poison) -> str:
    task = registry.get(system)
    _, learner, changes = KINDS[LEARNERS[system]]
    settings = dataclasses.replace(task.learner(learner).settings, **changes)
    train, dev = workspace.documents(ids["train"]), workspace.documents(ids["dev"])
    run = workspace.start_run(system, learner, asdict(settings), train=ids["train"], dev=ids["dev"])
    with tempfile.TemporaryDirectory() as folder:
        for one in task.rounds(train, dev, learner, settings, _resources(system, Path(folder), poison)):
            workspace.add_round(run, one.index, one.objective, one.scores, {"total": one.total})
    save_model(task, dataclasses.replace(one.model, data_hash=data_hash(train)), workspace.model_path(run))
    workspace.set_data_hash(run, data_hash(train))
    workspace.finish_run(run, "done", scores=one.scores, bias=one.model.bias)
    workspace.describe_run(run, name=PAYLOADS[0][:LONGEST_NAME], note="\n".join(PAYLOADS), starred=True)
    return run


def _resources(system: str, folder: Path, poison: Poison) -> Resources:
    if system in ("linking", "disambiguation"):
        return Resources(lexicon=(SAMPLES / "linking" / "lexicon",))
    if system != "joint":
        return Resources()
    tables = tomllib.loads((SAMPLES / "joint" / "constraints.toml").read_text(encoding="utf-8"))["constraint"]
    path = folder / "constraints.toml"
    path.write_text(to_toml(from_json([_poisoned_table(table, poison) for table in tables])), encoding="utf-8")
    return Resources(constraints=path)


def _poisoned_table(table: Mapping[str, Any], poison: Poison) -> dict[str, Any]:
    """A constraint with its own name, and all names that it speaks of, as the poisoned documents have them."""

    def changed(key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [changed(key, one) for one in value]
        return poison.name(value) if isinstance(value, str) and (key == "name" or poison.knows(value)) else value

    return {key: changed(key, value) for key, value in table.items()}


def _talked_about(workspace: Workspace, corpus: str, documents: Sequence[Document]) -> None:
    """Comments, labels with a guideline, a version, annotators and a project, all with hostile names."""
    log = workspace.annotations(corpus)
    for number, payload in enumerate(PAYLOADS):
        document = documents[number % len(documents)]
        log.append(document, Comment("", payload, id=f"c{number}"), user=payload[:60])
        log.append(document, MarkDone(True), user=payload[:60], layer=f"annotator {payload[:60]}")
    types = tuple(EntityType(f"T{i} {one[:150]}", about=one, examples=(one,)) for i, one in enumerate(PAYLOADS))
    labelling.define(log, LabelSet(types, guideline="\n\n".join(PAYLOADS)), user=PAYLOADS[0])
    workspace.freeze(corpus, PAYLOADS[1][:60], user=PAYLOADS[0])


def _extreme(workspace: Workspace, system: str) -> Place:
    """Scores of another program that are all the same or beyond all measure."""
    task = registry.get(system)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.jsonl"
        path.write_text("\n".join(json.dumps(one) for one in _records(system)), encoding="utf-8")
        documents = [one.document for one in stream(path)]
        corpus = workspace.add_corpus(f"extreme {system}", documents)
        model = outside_model(task, path, documents)
    run = workspace.start_run(system, OUTSIDE, {"name": PAYLOADS[2], "file": PAYLOADS[3]}, dev=corpus)
    save_model(task, model, workspace.model_path(run))
    workspace.set_data_hash(run, model.data_hash)
    workspace.finish_run(run, "done", bias=model.bias)
    workspace.describe_run(run, name=PAYLOADS[2][:LONGEST_NAME], note=PAYLOADS[3], starred=False)
    return Place(f"{system} extreme", system, corpus, run)


def _records(system: str) -> Iterator[dict[str, Any]]:
    """Two records: hundreds of ties, and scores beyond all measure."""
    text = "Ada met Ada in Rome."
    spans = [{"start": a, "end": b, "entity": name} for a, b, name in ((0, 3, "Ada"), (8, 11, "Ada"), (15, 19, "Rome"))]
    many = [f"E{i} {PAYLOADS[i % len(PAYLOADS)]}" for i in range(500)]
    for id, scores in (("ties", [1.0] * 500), ("extremes", [1e6 if i % 2 else -1e6 for i in range(500)])):
        if system == "distant":
            told: dict[str, Any] = {"e1": "Ada", "e2": "Rome", "relations": ["r0"]}
            told["mentions"] = [{"sid": "s0", "tokens": ["Ada", "of", "Rome"], "e1": [0, 1], "e2": [2, 3]}]
            parts = [{"sid": "s0", "relation": f"r{i}", "score": scores[i]} for i in range(20)]
        elif system == "joint":
            told = {"tokens": ["Booth", "shot", "Lincoln"]}
            told["entities"] = [{"start": 0, "end": 1, "type": "t0"}, {"start": 2, "end": 3, "type": "t1"}]
            told["relations"] = [{"head": 0, "tail": 1, "type": "t0"}]
            parts = [{"entity": m, "type": f"t{i}", "score": scores[i + m]} for m in (0, 1) for i in range(9)]
            parts += [{"head": 0, "tail": 1, "type": f"t{i}", "score": scores[i]} for i in range(9)]
        elif system == "coreference":
            told = {"text": text, "mentions": [{**one, "cluster": 0} for one in spans]}
            parts = [{"mention": 1, "antecedent": 0, "score": scores[0]}]
            parts += [{"mention": 2, "antecedent": i, "score": scores[i]} for i in (0, 1)]
        elif system == "disambiguation":
            told = {"text": text, "mentions": spans}
            parts = [{"mention": m, "entity": many[i], "score": scores[i]} for m in range(3) for i in range(500)]
        else:
            told = {"text": text, "mentions": spans}
            parts = [
                {"start": one["start"], "end": one["end"], "entity": many[i], "score": scores[i]}
                for one in spans
                for i in range(500)
            ]
        yield {"id": f"{id} {PAYLOADS[0]}", **told, "scale": "logit", "parts": parts}
