"""predict: annotate files with a model. The predictions stand where gold stands, in the shape that was read, or in a
layer beside it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.corpora.holdings import OTHER_LAYERS
from engine.data.document import GOLD, Document, Layer
from engine.data.errors import InputError
from engine.tasks.base import AnyTask

EXAMPLES = """examples:
  python -m engine predict linking --model linking.zip --data tweets.jsonl.gz --out linked.jsonl
  python -m engine predict coreference --model c.zip --data test.conll --out response.conll
  python -m engine predict coreference --model c.zip --data dev.jsonl --layer coreference --out dev-chains.jsonl"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "predict", help="annotate files", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_task(parser)
    parser.add_argument("--model", type=Path, required=True, metavar="M", help="a model file")
    options.add_data(parser, "--data", "documents to annotate", required=True)
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
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    options.check_output(args, "out")
    target = corpora.detect(args.out, reading=False)
    model = options.model_of(args, task)
    documents = options.read_all(args.data, quiet=args.json)
    with options.naming(args.data):
        scored = task.scored(documents, model).at(args.bias)
        layers = task.decide(scored)
    options.tell_notes(task, scored)
    with options.naming(args.data):
        answered = [
            _answered(document, layer, task, args.layer) for document, layer in zip(documents, layers, strict=True)
        ]
    lost = corpora.losses(answered, target.name)
    if args.layer != GOLD and OTHER_LAYERS in lost:
        raise InputError(
            f"{target.title} has no room for layers beside gold: write .jsonl, or leave --layer out", file=args.out
        )
    corpora.write(answered, args.out, target.name)
    counts = {
        "documents": len(layers),
        "mentions": sum(len(layer.mentions) for layer in layers),
        "clusters": sum(len(layer.clusters) for layer in layers),
        "relations": sum(len(layer.relations) for layer in layers),
        "labels": sum(len(layer.labels) for layer in layers),
    }
    if args.json:
        options.print_json({"out": str(args.out), "format": target.name, **counts, "lost": lost})
        return 0
    options.warn_of_losses(target, lost)
    told = [f"{number} {name}" for name, number in counts.items() if number or name == "documents"]
    print(f"wrote {args.out}: {', '.join(told)}")
    return 0


def _answered(document: Document, layer: Layer, task: AnyTask, name: str) -> Document:
    """The document with the prediction as the layer of this name."""
    try:
        return document.with_layer(name, layer)
    except ValueError as error:
        # A bag is made of mentions, which only a system that keeps them may answer about.
        raise InputError(f"document {document.id!r} cannot take the answers of {task.name}: {error}") from error
