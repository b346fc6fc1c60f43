"""curve: precision and recall at every abstain bias."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli import options

EXAMPLES = """example:
  python -m engine curve linking --model linking.zip --data dev.jsonl.gz --json
  python -m engine curve linking --scores theirs.jsonl --data dev.jsonl.gz"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "curve",
        help="precision and recall at every bias",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_source(parser)
    options.add_data(parser, "--data", "documents with gold", required=True)
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    source = options.source_of(args, task)
    documents = options.read_all(args.data, quiet=args.json)
    options.warn_without_gold(task, documents)
    with options.naming(args.data):
        scored = source.scored(documents)
        curve = task.curve(scored)
    if args.json:
        options.print_json(curve.to_json())
        return 0
    kind = "operating points, exact" if curve.exact else "points of a grid (search is approximate)"
    print(f"{len(curve.bias)} {kind}; area under the curve {curve.area():.3f}; counted are {task.unit}")
    for name, bias in (("chosen", scored.bias), ("best F1", curve.best_bias())):
        point = curve.at(bias)
        # Digits enough to give the same point again with --bias.
        print(
            f"{name:<8} bias {bias:11.6g}   P {100 * point.precision:5.1f} %   R {100 * point.recall:5.1f} %"
            f"   F1 {100 * point.f1:5.1f} %"
        )
    return 0
