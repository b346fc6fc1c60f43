"""errors: every miss and false alarm with its stage, and the score if each stage were fixed."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

from engine.cli import options
from engine.cli.results.evaluate import matched
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.metrics.errors import NOT_LISTED, STAGES, Error, stage_table
from engine.tasks.base import AnyTask
from engine.tasks.outside import errors_of_answers
from engine.tasks.scored import Scored
from engine.workbench.repair import score_if_fixed

EXAMPLES = """example:
  python -m engine errors linking --model linking.zip --data dev.jsonl.gz --json > errors.json
  python -m engine errors linking --scores theirs.jsonl --data dev.jsonl.gz
  python -m engine errors linking --predictions theirs.ttl --data dev.jsonl.gz

What another program does not tell is not guessed: where it gave out only some alternatives, or answers without scores,
an answer that is not among them is "not listed", whatever stage lost it."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "errors",
        help="where answers are lost, stage by stage",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_source(parser, predictions=True)
    options.add_data(parser, "--data", "documents with gold", required=True)
    parser.add_argument("--layer", metavar="NAME", help="where the predictions stand (default: in the place of gold)")
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    found = _found(args, task)
    documents, predicted, scored, errors = found.documents, found.predicted, found.scored, found.errors
    now = task.main_number(task.evaluate(documents, predicted, scored))
    counts = stage_table(errors)
    fixed = {}
    for stage in STAGES:
        own = [error for error in errors if error.stage == stage]
        if own:
            fixed[stage] = task.main_number(score_if_fixed(task, documents, predicted, own, scored))
    if args.json:
        options.print_json(
            {
                "score": now,
                "stages": {s: {"errors": sum(counts[s].values()), "score_if_fixed": fixed.get(s)} for s in STAGES},
                "errors": [dataclasses.asdict(error) for error in errors],
            }
        )
        return 0
    print(f"{len(errors)} errors; {task.main_name} {100 * now:.1f} %")
    for stage in STAGES:
        if stage == NOT_LISTED and stage not in fixed:
            continue
        better = f"{100 * fixed[stage]:.1f} % if fixed" if stage in fixed else ""
        print(f"{stage:<26}{sum(counts[stage].values()):>7}   {better}")
    return 0


@dataclasses.dataclass(frozen=True)
class _Found:
    documents: Sequence[Document]
    predicted: Sequence[Layer]
    scored: Scored | None
    """None where answers came without scores."""
    errors: Sequence[Error]


def _found(args: argparse.Namespace, task: AnyTask) -> _Found:
    if args.predictions is None:
        if args.layer is not None:
            raise InputError("--layer needs --predictions: it says where in the file they stand")
        source = options.source_of(args, task)
        documents = options.read_all(args.data)
        with options.naming(args.data):
            scored = source.scored(documents, args.bias)
            predicted = task.decide(scored)
        return _Found(documents, predicted, scored, task.errors(scored, predicted))
    for name in ("bias", "constraints", "lexicon"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} needs --model or --scores: predictions are decided already")
    documents = options.read_all(args.data)
    predicted = matched(documents, options.read_all([args.predictions]), args.predictions, args.layer)
    return _Found(documents, predicted, None, errors_of_answers(task, documents, predicted))
