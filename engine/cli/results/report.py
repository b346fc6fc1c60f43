"""report: one self-contained HTML file about a model, and its tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.cli.results.compare import system
from engine.data.errors import InputError
from engine.workbench.report import About, report

EXAMPLES = """examples:
  python -m engine report linking --model m.zip --data dev.jsonl.gz --out report.html
  python -m engine report joint --model m.zip --data dev.jsonl --against other.zip --out report.html --tables tables/"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report", help="an HTML report", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_task(parser)
    parser.add_argument("--model", type=Path, required=True, metavar="M", help="a model file")
    options.add_data(parser, "--data", "documents with gold", required=True)
    options.add_constraints(parser)
    options.add_bias(parser)
    options.add_data(parser, "--against", "models or predictions to compare with")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the HTML file to write")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="also write each table as CSV, Markdown and LaTeX")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    options.check_output(args, "out")
    if args.tables is not None and args.tables.exists() and not args.tables.is_dir():
        raise InputError("this is a file; --tables takes a folder", file=args.tables)
    model = options.model_of(args, task)
    documents = options.read_all(args.data)
    if not documents:
        raise InputError("there is no document to report on", file=args.data[0])
    about = About.of_model(
        model,
        name=args.model.stem if args.constraints is None else f"{args.model.stem} with {args.constraints.name}",
        data_name=", ".join(path.name for path in args.data),
        data_hash=corpora.data_hash(documents),
    )
    others = {path.stem: system(task, path, documents) for path in args.against}
    made = report(task, task.scored(documents, model).at(args.bias), about, others=others)
    args.out.write_text(made.html(), encoding="utf-8")
    if args.tables is not None:
        args.tables.mkdir(parents=True, exist_ok=True)
        for table in made.tables:
            stem = "".join(c if c.isalnum() else "-" for c in table.name)
            for ending, text in ((".csv", table.csv()), (".md", table.markdown()), (".tex", table.latex())):
                (args.tables / f"{stem}{ending}").write_text(text, encoding="utf-8")
    print(f"wrote {args.out}")
    return 0
