"""report: one self-contained HTML file about a model, and its tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options, reveal
from engine.cli.results.compare import system
from engine.corpora.answers import matched
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import AnyModel
from engine.tasks.outside.records import of_answers
from engine.workbench.reporting.report import About, RunReport, report

EXAMPLES = """examples:
  python -m engine report linking --model m.zip --data dev.jsonl.gz --out report.html
  python -m engine report joint --model m.zip --data dev.jsonl --against other.zip --out report.html --tables tables/
  python -m engine report joint --scores theirs.jsonl --data dev.jsonl --constraints rules.toml --out report.html"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report", help="an HTML report", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_task(parser)
    options.add_source(parser, predictions=True)
    options.add_data(parser, "--data", "documents with gold", required=True)
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    options.add_data(parser, "--against", "models, scores or predictions to compare with")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the HTML file to write")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="also write each table as CSV, Markdown and LaTeX")
    reveal.add_reveal(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    options.check_output(args, "out")
    if args.tables is not None and args.tables.exists() and not args.tables.is_dir():
        raise InputError("this is a file; --tables takes a folder", file=args.tables)
    reveal.check(args, args.data, [args.model or args.scores or args.predictions, *args.against])
    source = None if args.predictions is not None else options.source_of(args, task)
    for name in ("bias", "constraints", "lexicon"):
        if source is None and getattr(args, name) is not None:
            raise InputError(f"--{name} needs --model or --scores: predictions are decided already")
    documents = options.read_all(args.data)
    if not documents:
        raise InputError("there is no document to report on", file=args.data[0])
    options.warn_without_gold(task, documents)
    others = {path.stem: system(task, path, documents) for path in args.against}
    if source is None:
        read = options.read_all([args.predictions])
        scored = of_answers(task, documents, matched(documents, read, file=args.predictions))
    else:
        with options.naming(args.data):
            scored = source.scored(documents, args.bias)
        reveal.tell_learnt(source.model, documents)
    about = _about(args, documents, None if source is None else source.model)
    made = report(task, scored, about, others=others)
    _write(made, args.out, args.tables)
    print(f"wrote {args.out}")
    return 0


def _write(made: RunReport, out: Path, tables: Path | None) -> None:
    """The HTML file and the tables, all or none."""
    with files.FileBatch() as batch:
        batch.create(out).write(made.html().encode())
        if tables is None:
            return
        tables.mkdir(parents=True, exist_ok=True)
        for table in made.tables:
            stem = "".join(c if c.isalnum() else "-" for c in table.name)
            for ending, text in ((".csv", table.csv()), (".md", table.markdown()), (".tex", table.latex())):
                batch.create(tables / f"{stem}{ending}").write(text.encode())


def _about(args: argparse.Namespace, documents: Sequence[Document], model: AnyModel | None) -> About:
    file: Path = args.model or args.scores or args.predictions
    name = file.stem if args.constraints is None else f"{file.stem} with {args.constraints.name}"
    data_name, data_hash = ", ".join(path.name for path in args.data), corpora.data_hash(documents)
    if model is not None:
        return About.of_model(model, name=name, data_name=data_name, data_hash=data_hash)
    return About(name, data_name, data_hash, learner="outside", settings={"file": file.name})
