"""predict: annotate files with a model. The predictions stand where gold stands, in the shape that was read, or in a
layer beside it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.corpora.holdings import OTHER_LAYERS
from engine.data.document import GOLD, Document, Layer
from engine.data.errors import InputError
from engine.metrics.differences import decisions
from engine.tasks.base import AnyTask
from engine.tasks.outside import read_scores, written
from engine.tasks.scored import Scored

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
        "--out", type=Path, required=True, metavar="FILE", help="file to write; its name says the format"
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
    source = options.source_of(args, task)
    documents = options.read_all(args.data, quiet=args.json) if args.data else None
    with options.naming(args.data or [args.scores]):
        scored = source.scored(documents, args.bias)
        layers = task.decide(scored)
        answered = [
            _answered(document, layer, task, args.layer)
            for document, layer in zip(scored.documents, layers, strict=True)
        ]
        if args.parts:
            answered = list(written(task, scored, answered))
    options.tell_notes(task, scored)
    lost = corpora.losses(answered, target.name)
    if args.layer != GOLD and OTHER_LAYERS in lost:
        raise InputError(
            f"{target.title} has no room for layers beside gold: write .jsonl, or leave --layer out", file=args.out
        )
    corpora.write(answered, args.out, target.name)
    otherwise = _otherwise(task, scored, layers, args.out) if args.parts else 0
    counts = {
        "documents": len(layers),
        "mentions": sum(len(layer.mentions) for layer in layers),
        "clusters": sum(len(layer.clusters) for layer in layers),
        "relations": sum(len(layer.relations) for layer in layers),
        "labels": sum(len(layer.labels) for layer in layers),
    }
    if args.json:
        told = {"out": str(args.out), "format": target.name, **counts, "lost": lost}
        options.print_json({**told, "otherwise": otherwise} if args.parts else told)
        return 0
    if otherwise:
        print(
            f"warning: decided from the file alone, {otherwise} of {len(layers)} documents come out otherwise: scores"
            " that depend on other decisions, and constraints, are not in it",
            file=sys.stderr,
        )
    options.warn_of_losses(target, lost)
    said = [f"{number} {name}" for name, number in counts.items() if number or name == "documents"]
    print(f"wrote {args.out}: {', '.join(said)}")
    return 0


def _answered(document: Document, layer: Layer, task: AnyTask, name: str) -> Document:
    """The document with the prediction as the layer of this name."""
    try:
        return document.with_layer(name, layer)
    except ValueError as error:
        # A bag is made of mentions, which only a system that keeps them may answer about.
        raise InputError(f"document {document.id!r} cannot take the answers of {task.name}: {error}") from error


def _otherwise(task: AnyTask, scored: Scored, layers: Sequence[Layer], path: Path) -> int:
    """How many documents are decided otherwise by whoever has only the file."""
    again = task.decide(read_scores(task, path, scored.documents))
    return sum(
        decisions(one, task.decides) != decisions(other, task.decides) for one, other in zip(layers, again, strict=True)
    )
