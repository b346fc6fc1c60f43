"""predict: annotate files with a model. The predictions replace gold, in the shape that was read, or are added as
another layer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import blocks, options
from engine.corpora.holdings import OTHER_LAYERS
from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.predicting import Predicted, Predicting, predict

EXAMPLES = """examples:
  python -m engine predict linking --model linking.zip --data tweets.jsonl.gz --out linked.jsonl
  python -m engine predict coreference --model c.zip --data test.conll --out response.conll
  python -m engine predict coreference --model c.zip --data dev.jsonl --layer coreference --out dev-chains.jsonl
  python -m engine predict linking --model linking.zip --data dev.jsonl --parts --out scored.jsonl
  python -m engine predict linking --scores scored.jsonl --bias 0.5 --out linked.jsonl"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "predict", help="annotate files", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_task(parser)
    options.add_source(parser)
    options.add_data(parser, "--data", "documents to annotate; those of --scores, where that file has them")
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="file to write; its name determines the format"
    )
    parser.add_argument(
        "--layer",
        default=GOLD,
        metavar="NAME",
        help="where to put the predictions: beside gold under another name, for formats that hold layers (default: in"
        " the place of gold)",
    )
    parser.add_argument(
        "--parts",
        action="store_true",
        help="write with each document what could have been chosen, with its scores; --scores reads it (.jsonl)",
    )
    blocks.add_work(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    options.check_output(args, "out")
    target = corpora.detect(args.out, reading=False)
    if args.parts and target.name != "jsonl":
        raise InputError("only .jsonl files hold scores of parts; name one, or leave --parts out", file=args.out)
    if args.model is not None and not args.data:
        raise InputError("there is nothing to annotate: name documents with --data")
    corpus = None
    if args.data:
        corpus = blocks.corpus_of(args.data, None, quiet=args.json, workers=blocks.workers(args))
    source = blocks.source_of(args, task, corpus)
    work = Predicting(source, args.layer, target.name, args.parts)
    running = blocks.running_of(args, corpus, source, quiet=args.json)
    told = Predicted()
    with options.naming(args.data or [args.scores]):
        _write(_checked(predict(work, corpus, running, told), args, target, told), args.out, target)
    running.done()
    blocks.tell_notes(task, told.notes)
    kinds = ("mentions", "clusters", "relations", "labels")
    counts = {"documents": told.documents, **{name: told.counts.number(name) for name in kinds}}
    otherwise = told.counts.number("otherwise")
    if args.json:
        made = {"out": str(args.out), "format": target.name, **counts, "lost": told.lost}
        options.print_json({**made, "otherwise": otherwise} if args.parts else made)
        return 0
    if otherwise:
        print(
            f"warning: decided from the file alone, {otherwise} of {told.documents} documents come out otherwise:"
            " scores that depend on other decisions, and constraints, are not in it",
            file=sys.stderr,
        )
    options.warn_of_losses(target, told.lost)
    said = [f"{number} {name}" for name, number in counts.items() if number or name == "documents"]
    print(f"wrote {args.out}: {', '.join(said)}")
    return 0


def _write(portions: Iterator[Portion], path: Path, target: corpora.Format) -> None:
    if target.name == "jsonl":
        corpora.write_rendered((portion.rendered for portion in portions), path)
    else:
        corpora.write((document for portion in portions for document in portion.documents), path, target.name)


def _checked(
    portions: Iterator[Portion], args: argparse.Namespace, target: corpora.Format, told: Predicted
) -> Iterator[Portion]:
    """The portions; InputError if the format cannot hold the layer."""
    for portion in portions:
        if args.layer != GOLD and OTHER_LAYERS in told.lost:
            raise InputError(
                f"{target.title} has no room for layers beside gold: write .jsonl, or leave --layer out", file=args.out
            )
        yield portion
