"""report: one self-contained HTML file about a model, and its tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import blocks, options, reveal
from engine.corpora.io import files
from engine.data.errors import InputError
from engine.tasks.base import AnyModel
from engine.workbench.reporting.report import About, RunReport, drawn
from engine.workbench.reporting.summary import Reporting, gather

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
    blocks.add_work(parser)
    reveal.add_reveal(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    options.check_output(args, "out")
    if args.tables is not None and args.tables.exists() and not args.tables.is_dir():
        raise InputError("this is a file; --tables takes a folder", file=args.tables)
    blocks.check_source(args)
    reveal.check(args, args.data, [args.model or args.scores or args.predictions, *args.against])
    corpus = blocks.corpus_of(args.data, task, quiet=False, workers=blocks.workers(args))
    source = blocks.source_of(args, task, corpus)
    if not len(corpus):
        raise InputError("there is no document to report on", file=args.data[0])
    blocks.warn_without_gold(task, corpus)
    others = {path.stem: blocks.system_of(path, task, corpus) for path in args.against}
    work = Reporting((source, *others.values()), corpus.look.asked)
    running = blocks.running_of(args, corpus, *work.sources, quiet=False)
    digest = corpora.DataDigest()
    with options.naming(args.data):
        found = gather(work, corpus, running, digest.add)
    reveal.tell_learnt_hash(source.model, digest.hash())
    about = _about(args, source.model, digest.hash())
    summary = found.summary(list(others), corpus.look.kinds)
    _write(drawn(task, summary, about), args.out, args.tables)
    running.done()
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


def _about(args: argparse.Namespace, model: AnyModel | None, data_hash: str) -> About:
    file: Path = args.model or args.scores or args.predictions
    name = file.stem if args.constraints is None else f"{file.stem} with {args.constraints.name}"
    data_name = ", ".join(path.name for path in args.data)
    if model is not None:
        return About.of_model(model, name=name, data_name=data_name, data_hash=data_hash)
    return About(name, data_name, data_hash, learner="outside", settings={"file": file.name})
