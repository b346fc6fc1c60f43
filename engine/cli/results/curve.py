"""curve: precision and recall at every abstain bias."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli import blocks, options, reveal
from engine.data.errors import InputError
from engine.tasks.outside.run import has_scores
from engine.workbench.blocks.curves import trace_curve
from engine.workbench.honesty import refuse_foreign

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
    blocks.add_work(parser)
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    reveal.check(args, args.data, [args.model or args.scores])
    corpus = blocks.corpus_of(args.data, task, quiet=args.json, workers=blocks.workers(args))
    source = blocks.source_of(args, task, corpus)
    refuse_foreign(task, source.model, corpus)
    if source.model is not None and not has_scores(source.model):
        raise InputError("there is no curve: this run holds answers without scores", file=args.model)
    blocks.warn_without_gold(task, corpus)
    running = blocks.running_of(args, corpus, source, quiet=args.json)
    with options.naming(args.data):
        traced = trace_curve(source, corpus, running)
    running.done()
    reveal.tell_learnt(source.model, corpus)
    curve = traced.curve
    if args.json:
        rows = (options.as_json(point.to_json()) for point in curve.points())
        options.print_long_json(curve.summary(), "points", rows)
        return 0
    kind = "operating points, exact" if curve.exact else "points of a grid (search is approximate)"
    print(f"{len(curve)} {kind}; area under the curve {curve.area():.3f}; counted are {task.unit}")
    for name, bias in (("chosen", traced.bias), ("best F1", curve.best_bias())):
        point = curve.at(bias)
        # Enough digits to get the same point again with --bias.
        print(
            f"{name:<8} bias {bias:11.6g}   P {100 * point.precision:5.1f} %   R {100 * point.recall:5.1f} %"
            f"   F1 {100 * point.f1:5.1f} %"
        )
    return 0
