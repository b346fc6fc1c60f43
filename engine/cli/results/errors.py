"""errors: every miss and false alarm with its stage, and the score if each stage were fixed."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.metrics.errors import STAGES, stage_table
from engine.workbench.repair import score_if_fixed

EXAMPLES = """example:
  python -m engine errors linking --model linking.zip --data dev.jsonl.gz --json > errors.json"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "errors",
        help="where answers are lost, stage by stage",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    parser.add_argument("--model", type=Path, required=True, metavar="M", help="a model file")
    options.add_data(parser, "--data", "documents with gold", required=True)
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    model = options.model_of(args, task)
    documents = options.read_all(args.data)
    with options.naming(args.data):
        scored = task.scored(documents, model).at(args.bias)
        predicted = task.decide(scored)
    errors = task.errors(scored, predicted)
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
        better = f"{100 * fixed[stage]:.1f} % if fixed" if stage in fixed else ""
        print(f"{stage:<26}{sum(counts[stage].values()):>7}   {better}")
    return 0
