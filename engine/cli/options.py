"""Options that several commands share, and what they turn into."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli.progress import bar
from engine.data.document import Document
from engine.data.errors import InputError
from engine.learners.settings import S, with_values
from engine.tasks.base import Model, Resources, Task, load_model
from engine.tasks.registry import TASKS, get


def add_task(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", help=f"one of {', '.join(TASKS)}")


def add_data(parser: argparse.ArgumentParser, name: str, help: str, *, required: bool = False) -> None:
    parser.add_argument(name, nargs="+", type=Path, default=[], metavar="FILE", help=help, required=required)


def add_learning(parser: argparse.ArgumentParser) -> None:
    """What it takes to train."""
    add_task(parser)
    add_data(parser, "--train", "documents to learn from", required=True)
    add_data(parser, "--dev", "documents to choose on")
    parser.add_argument("--learner", metavar="NAME", help="how to train; the paper's best is the default")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting, see `describe`; may be repeated",
    )
    add_resources(parser)


def add_resources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lexicon", nargs="+", type=Path, default=[], metavar="FILE", help="names and entities")
    parser.add_argument(
        "--vectors", type=Path, metavar="FILE", help="word2vec vectors, text or binary (disambiguation)"
    )
    parser.add_argument("--gazetteer", nargs="+", type=Path, default=[], metavar="FILE", help="lists of names (joint)")
    parser.add_argument("--constraints", type=Path, metavar="FILE", help="constraints in TOML (joint)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (disambiguation; default 1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="address of a Dask scheduler (disambiguation)")


def add_constraints(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--constraints",
        type=Path,
        metavar="FILE",
        help="constraints in TOML in place of the model's (joint; lp and ilp decide with them, the others are only"
        " held against them)",
    )


def model_of(args: argparse.Namespace, task: Task) -> Model:
    """The model of --model, under the --constraints where there are some."""
    model = load_model(task, args.model)
    return model if args.constraints is None else task.with_constraints(model, args.constraints)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def task_of(args: argparse.Namespace) -> Task:
    return get(args.task)


def resources_of(args: argparse.Namespace) -> Resources:
    """Files and workers to train with; a warning names those that the task makes no use of."""
    named = [*args.lexicon, args.vectors, *args.gazetteer, args.constraints]
    for path in named:
        if path is not None and not Path(path).exists():
            raise InputError("there is no such file", file=path)
    resources = Resources(
        lexicon=tuple(args.lexicon),
        vectors=args.vectors,
        gazetteers=tuple(args.gazetteer),
        constraints=args.constraints,
        jobs=args.jobs,
        cluster=args.cluster,
    )
    task = task_of(args)
    idle = [
        f"--{spec.name.removesuffix('s') if spec.name == 'gazetteers' else spec.name}"
        for spec in dataclasses.fields(resources)
        if getattr(resources, spec.name) != spec.default and spec.name not in task.reads
    ]
    if idle:
        print(f"warning: {task.name} makes no use of {', '.join(idle)}", file=sys.stderr)
    return resources


def settings_of(defaults: S, texts: Sequence[str]) -> S:
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set takes KEY=VALUE, not {text!r}")
        values[name.strip()] = value.strip()
    try:
        return with_values(defaults, values)
    except ValueError as error:
        raise InputError(str(error)) from error


def read_all(paths: Sequence[Path], *, quiet: bool = True) -> list[Document]:
    """The documents of several files, in order; ids must not repeat across them."""
    documents: list[Document] = []
    origin: dict[str, Path] = {}
    for path in paths:
        with bar(corpora.stream(path), f"reading {path.name}", quiet=quiet) as stream:
            for document in stream:
                other = origin.setdefault(document.id, path)
                if other is not path:
                    raise InputError(f"document {document.id!r} is also in {other}", file=path)
                documents.append(document)
    return documents


@contextmanager
def naming(paths: Sequence[Path]) -> Iterator[None]:
    """A fault that a system finds in a document names the files that the documents came from."""
    try:
        yield
    except InputError as error:
        raise error.at(", ".join(map(str, paths))) from error


def warn_of_losses(target: corpora.Format, lost: Sequence[str]) -> None:
    """One line on stderr about what the written file does not hold."""
    if lost:
        print(f"warning: {target.title} cannot hold {'; '.join(lost)}", file=sys.stderr)


def print_json(value: Mapping[str, Any]) -> None:
    print(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False))


def print_report(report: Mapping[str, Any], *, indent: int = 0) -> None:
    """Scores for people: fractions as percentages with one decimal."""
    for name, value in report.items():
        label = " " * indent + name.replace("_", " ")
        if isinstance(value, Mapping):
            print(label)
            print_report(value, indent=indent + 2)
        elif isinstance(value, float):
            print(f"{label:<32}{100 * value:8.1f} %")
        elif isinstance(value, int | str):
            print(f"{label:<32}{value:>8}")


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinities; what has no number is null."""
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
