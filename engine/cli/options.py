"""Options that several commands share, and the objects made from them."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli.progress import bar
from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.numbers import Plain
from engine.settings import S, Settings, with_values
from engine.tasks.base import AnyModel, AnyTask, Resources
from engine.tasks.presets import PRESETS, SENTENCES
from engine.tasks.registry import get, names


def add_task(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", help=f"one of {', '.join(names())}")


def add_data(parser: argparse.ArgumentParser, name: str, help: str, *, required: bool = False) -> None:
    parser.add_argument(name, nargs="+", type=Path, default=[], metavar="FILE", help=help, required=required)


def add_learning(parser: argparse.ArgumentParser) -> None:
    """Add the options of all commands that train."""
    add_task(parser)
    add_data(parser, "--train", "documents to learn from", required=True)
    add_data(parser, "--dev", "documents to choose settings on")
    parser.add_argument("--learner", metavar="NAME", help="how to train (default: the paper's best)")
    add_preset(parser)
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting (see `describe`); may be repeated",
    )
    add_resources(parser)


def add_preset(parser: argparse.ArgumentParser) -> None:
    told = "; ".join(f"{name}: {SENTENCES[name][0].lower()}{SENTENCES[name][1:-1]}" for name in PRESETS)
    parser.add_argument("--preset", choices=PRESETS, default="default", help=f"settings to begin with ({told})")


def add_resources(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--lexicon", nargs="+", type=Path, default=[], metavar="FILE", help="names and the entities they may mean"
    )
    parser.add_argument(
        "--vectors",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="word2vec vectors, text or binary (disambiguation)",
    )
    parser.add_argument("--gazetteer", nargs="+", type=Path, default=[], metavar="FILE", help="lists of names (joint)")
    parser.add_argument("--constraints", type=Path, metavar="FILE", help="constraints in TOML (joint)")
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="number of training threads (default 1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="address of a Dask scheduler, to train on its workers")


def add_constraints(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--constraints",
        type=Path,
        metavar="FILE",
        help="constraints in TOML in place of the model's (joint; lp, ilp and --scores decide with them, the others"
        " are only held against them)",
    )


def add_other_lexicon(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lexicon",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="names and entities in place of the model's (disambiguation)",
    )


def tell_training(model: AnyModel) -> None:
    """Print one line on stderr for each note on the training of the model."""
    for note in model.notes:
        print(f"warning: {note}", file=sys.stderr)


def print_note(sentence: str) -> None:
    """Print one line on stderr that readers of the result should know."""
    print(f"note: {sentence}", file=sys.stderr)


def add_source(parser: argparse.ArgumentParser, *, predictions: bool = False) -> None:
    """Add options for the source of answers: a model, scores of any program or, if allowed, answers without scores."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", type=Path, metavar="M", help="a model file")
    source.add_argument("--scores", type=Path, metavar="FILE", help="scores of another program (see `scores`)")
    if predictions:
        source.add_argument("--predictions", type=Path, metavar="FILE", help="predictions, in any supported format")


def add_bias(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bias", type=number, metavar="B", help="added to declining (default: the bias of the model or of the scores)"
    )


def number(text: str) -> float:
    """A finite number, for argparse, which shows the name of this function in its message."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def share(text: str) -> float:
    """A number between 0 and 1."""
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def count(text: str) -> int:
    """A whole number from 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def check_output(args: argparse.Namespace, name: str) -> None:
    """Fail before the work rather than after it, if the output file cannot be written or is also an input."""
    path: Path = getattr(args, name)
    if path.is_dir():
        raise InputError("this is a directory; name a file to write", file=path)
    check_parent(path)
    check_apart(args, name)


def check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError("its directory does not exist; make it first", file=path)


def check_apart(args: argparse.Namespace, name: str) -> None:
    """Raise InputError if the output is another path among the arguments, since writing would destroy that input."""
    path: Path = getattr(args, name)
    for other, value in vars(args).items():
        given = value if isinstance(value, list) else [value]
        if other != name and path.exists() and any(isinstance(one, Path) and _is_same(one, path) for one in given):
            raise InputError(f"this is both what --{name} writes and what is read; name another", file=path)


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and path.samefile(other)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def task_of(args: argparse.Namespace) -> AnyTask:
    return get(args.task)


def resources_of(args: argparse.Namespace) -> Resources:
    """Files and workers for training; a warning names those that the task does not use."""
    named = [*args.lexicon, *args.vectors, *args.gazetteer, args.constraints]
    for path in named:
        if path is not None and not Path(path).exists():
            raise InputError("there is no such file", file=path)
    resources = Resources(
        lexicon=tuple(args.lexicon),
        vectors=tuple(args.vectors),
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


def warn_alone(task: AnyTask, learner: str, settings: Settings, resources: Resources) -> None:
    """A warning where workers were asked for and the learner has no work for them."""
    if (resources.jobs > 1 or resources.cluster) and not task.shares_work(settings) and "jobs" in task.reads:
        told = f"{learner} with these settings learns from one document after the other"
        print(f"warning: {told}: --jobs and --cluster change nothing", file=sys.stderr)


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
    """The documents of several files, in order; ids must not repeat."""
    documents: list[Document] = []
    origin: dict[str, Path] = {}
    for path in paths:
        with bar(corpora.stream(path), f"reading {path.name}", quiet=quiet) as stream:
            for document in stream:
                other = origin.get(document.id)
                if other is not None:
                    where = "occurs twice" if other is path else f"is also in {other}"
                    raise InputError(f"document {document.id!r} {where}", file=path)
                origin[document.id] = path
                documents.append(document)
    return documents


def warn_without_gold(task: AnyTask, documents: Sequence[Document]) -> None:
    """Print one line on stderr if there is no gold, so that nobody takes the scores for results."""
    judged = task.judged(documents)
    if len(judged) < len(task.statistics()):
        told = ", ".join(judged)
        print(
            f"warning: gold of these documents tells {told} only; other scores are 0 for lack of gold", file=sys.stderr
        )
    elif task.fits(documents) != "yes":
        print(f"warning: gold of these documents holds nothing that {task.name} decides", file=sys.stderr)


@contextmanager
def naming(paths: Sequence[Path]) -> Iterator[None]:
    """A context that adds the names of the files to errors found in their documents."""
    try:
        yield
    except InputError as error:
        raise error.at(", ".join(map(str, paths))) from error


def warn_of_losses(target: corpora.Format, lost: Sequence[str]) -> None:
    """Print one line on stderr about what is missing in the written file."""
    if lost:
        print(f"warning: {target.title} cannot hold {'; '.join(lost)}", file=sys.stderr)


def print_json(value: Mapping[str, Any]) -> None:
    print(as_json(value))


def as_json(value: Any) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def print_long_json(value: Mapping[str, Any], name: str, rows: Iterable[str]) -> None:
    """Write one JSON object whose last field, of this name, is too long for memory; each row is already JSON."""
    head = as_json(value).removesuffix("}")
    sys.stdout.write(f"{head}{', ' if value else ''}{json.dumps(name)}: [")
    for number, row in enumerate(rows):
        sys.stdout.write(f", {row}" if number else row)
    sys.stdout.write("]}\n")


def print_report(report: Mapping[str, Any], *, indent: int = 0) -> None:
    """Scores for people: shares as percentages with one decimal. Names are unchanged, so that they can be typed."""
    for name, value in report.items():
        label = " " * indent + name
        if isinstance(value, Mapping):
            print(label)
            print_report(value, indent=indent + 2)
        elif isinstance(value, Plain):
            print(f"{label:<32}{value:8.4g}")
        elif isinstance(value, float):
            print(f"{label:<32}{100 * value:8.1f} %")
        elif isinstance(value, int | str):
            print(f"{label:<32}{value:>8}")


def _finite(value: Any) -> Any:
    """The value with NaN and infinities, which JSON does not have, replaced by null."""
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
