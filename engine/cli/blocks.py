"""Options of commands that process documents in blocks, and the objects made from them."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.cli.progress import portions_bar, reading_bar
from engine.corpora.formats.jsonl import Line
from engine.corpora.scores.records import has_scores
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import AnyTask
from engine.tasks.capabilities import Constrained, TakesLexicon
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.cut import DOCUMENTS, Cut
from engine.workbench.blocks.journal import Journal, fingerprint
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import AnswersSource, ModelSource, ScoresSource, Source
from engine.workers.base import Here, Workers
from engine.workers.hiring import workers_of

_NO_PART: tuple[str, ...] = ("run", "jobs", "cluster", "resume", "out", "tables", "json")
"""Options that do not affect the result of a block."""


def add_work(parser: argparse.ArgumentParser) -> None:
    """Add options for the workers and the size of blocks, which do not change the result."""
    parser.add_argument("--jobs", type=options.count, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="address of a Dask scheduler, to run on its workers")
    parser.add_argument(
        "--block",
        type=options.count,
        default=DOCUMENTS,
        metavar="N",
        help=f"maximum number of documents processed at a time (default {DOCUMENTS})",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FOLDER",
        help="keep finished blocks there until all is done; the same command goes on after the last of them",
    )


def corpus_of(paths: list[Path], task: AnyTask | None, *, quiet: bool = True, workers: Workers | None = None) -> Corpus:
    """The documents of some files; a large corpus is first looked at by the workers, or by this process alone."""

    def watch(documents: Iterator[Document | Line], name: str) -> Iterator[Document | Line]:
        with reading_bar(documents, name, paths, quiet=quiet) as counted:
            yield from counted

    corpus = Corpus(tuple(paths), watch, workers=workers or Here())
    return corpus if task is None else replace(corpus, asks=task.asked)


def workers(args: argparse.Namespace) -> Workers:
    """The workers that --jobs and --cluster name."""
    return workers_of(args.jobs, args.cluster)


def running_of(args: argparse.Namespace, corpus: Corpus | None, *sources: Source, quiet: bool) -> Running:
    """How the work is carried out according to the arguments; `corpus` determines its size."""
    total = None if corpus is None else len(corpus)

    def watch(portions: Iterator[Portion], doing: str) -> Iterator[Portion]:
        return portions_bar(portions, doing, total, quiet=quiet)

    journal = None
    if args.resume is not None:
        options.check_parent(args.resume)
        wanted = {name: value for name, value in vars(args).items() if name not in _NO_PART}
        journal = Journal(args.resume, fingerprint(wanted, _paths(wanted)))
    cut = Cut(documents=args.block) if all(one.in_blocks for one in sources) else Cut.whole()
    return Running(workers(args), cut, journal, watch)


def check_source(args: argparse.Namespace) -> None:
    """Raise InputError if options for predictions and options for scores are mixed."""
    if args.predictions is None and getattr(args, "layer", None) is not None:
        raise InputError("--layer needs --predictions: it says where in the file they stand")
    for name in ("bias", "constraints", "lexicon", "forced"):
        if args.predictions is not None and getattr(args, name, None) is not None:
            raise InputError(f"--{name} needs --model or --scores: predictions are decided already")


def source_of(args: argparse.Namespace, task: AnyTask, corpus: Corpus | None) -> Source:
    """The loaded model of --model, with the --lexicon if given; the checked file of --scores; or the file of
    --predictions."""
    if getattr(args, "predictions", None) is not None:
        return AnswersSource(task.name, args.predictions, getattr(args, "layer", None))
    if args.constraints is not None and not isinstance(task, Constrained):
        raise InputError(f"{task.name} has no constraints", file=args.constraints)
    if args.lexicon and not isinstance(task, TakesLexicon):
        raise InputError(f"the lexicon of a {task.name} model cannot be replaced", file=args.lexicon[0])
    bias = getattr(args, "bias", None)
    if args.scores is None:
        found = ModelSource(task.name, args.model, tuple(args.lexicon or ()), args.constraints, bias)
        _ = found.model  # A file that is not a model is reported before any document is read.
        settle()
        return found
    if args.lexicon:
        raise InputError("--lexicon needs --model: scores name their candidates already", file=args.lexicon[0])
    if not args.scores.exists():
        raise InputError("there is no such file", file=args.scores)
    settle()
    scores = ScoresSource(task.name, args.scores, args.constraints, bias).over(corpus)
    if scores.whole is not None and scores.whole.note and bias is None:
        options.print_note(scores.whole.note)
    return scores


def settle() -> None:
    """Until the command ends, the garbage collector does not look again at what is loaded now: programs, models and
    small corpora. It would at every few blocks, for a quarter of the time that reading scores takes. And it looks at
    the rest less often: a block makes many lists, hardly any of which refer to themselves. Kernels are loaded from now
    on."""
    from engine import kernels  # The parser of a command, which needs none, is made sooner.

    kernels.without_matrices()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def system_of(path: Path, task: AnyTask, corpus: Corpus) -> Source:
    """A model file, or a file of scores or predictions."""
    if path.suffix == ".zip":
        found = ModelSource(task.name, path)
        _ = found.model
        return found
    if task.exchange is not None and path.is_file() and has_scores(path):
        return ScoresSource(task.name, path).over(corpus)
    return AnswersSource(task.name, path)


def warn_without_gold(task: AnyTask, corpus: Corpus) -> None:
    options.warn_without_gold(task, corpus.look.kinds)


def tell_notes(task: AnyTask, found: Any) -> None:
    for note in task.notes(found):
        options.print_note(note)


def _paths(values: dict[str, Any]) -> list[Path]:
    given = [one for value in values.values() for one in (value if isinstance(value, list) else [value])]
    return [one for one in given if isinstance(one, Path)]
