"""cross-validate: every document is judged by a model that learnt from the others, in folds by document."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli import options, reveal
from engine.cli.models.experiment import add_compared, carry_out, plan_of
from engine.data.errors import InputError
from engine.workbench.experiments.plan import Corpora

EXAMPLES = """examples:
  python -m engine cross-validate joint --data all.jsonl --learners basic pipeline lp --folds 5 --out results
  python -m engine cross-validate linking --data train.jsonl --lexicon lexicon/ --presets paper default --out results

Equal texts are in one fold. Means are over folds; the difference from the first system is paired over all documents.
Ctrl-C keeps the folds that are done; the same command goes on from there."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "cross-validate",
        help="score each document with a model trained on the others",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_data(parser, "--data", "documents with gold", required=True)
    parser.add_argument("--folds", type=options.count, default=5, help="parts (default 5)")
    add_compared(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.folds < 2:
        raise InputError("--folds must be at least 2: with one there is nothing to learn from")
    if len(args.seeds) > 1:
        raise InputError("cross-validation takes one seed: its runs are the folds")
    task = options.task_of(args)
    reveal.check(args, args.data, made=args.out)
    plan = plan_of(args, task, folds=args.folds)
    return carry_out(args, task, plan, Corpora(options.read_all(args.data)))
