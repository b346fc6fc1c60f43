"""errors: every miss and false alarm with its stage, and the score if each stage were fixed."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli import blocks, options, reveal
from engine.cli.progress import Spool
from engine.data.errors import InputError
from engine.metrics.errors import MERGED, NOT_LISTED, STAGES
from engine.tasks.base import AnyTask
from engine.tasks.outside.records import UNTOLD
from engine.workbench.blocks.blaming import Blamed, Blaming, blame
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.sources import Source, parsed
from engine.workbench.honesty import refuse_foreign
from engine.workbench.why import contrasts
from engine.workbench.why import wording as told

_FEATURES = 8
"""Maximum number of features printed for a wrong answer, strongest first; --json has all of them."""

EXAMPLES = """example:
  python -m engine errors linking --model linking.zip --data dev.jsonl.gz --json > errors.json
  python -m engine errors linking --scores theirs.jsonl --data dev.jsonl.gz
  python -m engine errors linking --predictions theirs.ttl --data dev.jsonl.gz
  python -m engine errors linking --model linking.zip --data dev.jsonl.gz --why tweet-17

What another program does not tell is not guessed: where it gave out only some alternatives, or answers without scores,
an answer that is not among them is "not listed", whatever stage lost it."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "errors",
        help="count errors by the stage that caused them",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_source(parser, predictions=True)
    options.add_data(parser, "--data", "documents with gold", required=True)
    parser.add_argument("--layer", metavar="NAME", help="where the predictions stand (default: in the place of gold)")
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    parser.add_argument(
        "--why",
        metavar="DOCUMENT",
        help="every wrong answer of the document with this id beside the best output that is right there: what tells"
        " them apart, and the smallest change that turns it round",
    )
    blocks.add_work(parser)
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    blocks.check_source(args)
    reveal.check(args, args.data, [args.model or args.scores or args.predictions])
    corpus = blocks.corpus_of(args.data, task, quiet=args.json, workers=blocks.workers(args))
    source = blocks.source_of(args, task, corpus)
    refuse_foreign(task, source.model, corpus)
    if args.why is not None:
        return _tell_why(args, task, source, corpus)
    blocks.warn_without_gold(task, corpus)
    running = blocks.running_of(args, corpus, source, quiet=args.json)
    found, listed = Blamed(), Spool()
    with options.naming(args.data):
        for error in blame(Blaming(source), corpus, running, found):
            if args.json:
                listed.add(options.as_json(error))
    running.done()
    if args.predictions is not None:
        options.print_note(UNTOLD)
    reveal.tell_learnt(source.model, corpus)
    now = task.main_number(task.report(found.now))
    fixed = {stage: task.main_number(task.report(tally)) for stage, tally in found.fixed.items()}
    if args.json:
        stages = {stage: {"errors": found.errors(stage), "score_if_fixed": fixed.get(stage)} for stage in STAGES}
        options.print_long_json({"score": now, "stages": stages}, "errors", listed)
        return 0
    print(f"{sum(map(found.errors, STAGES))} errors; {task.main_name} {100 * now:.1f} %")
    unknown = MERGED if NOT_LISTED in fixed else (NOT_LISTED,)
    for stage in STAGES:
        if stage in unknown and stage not in fixed:
            continue
        better = f"{100 * fixed[stage]:.1f} % if fixed" if stage in fixed else ""
        print(f"{stage:<26}{found.errors(stage):>7}   {better}")
    return 0


def _tell_why(args: argparse.Namespace, task: AnyTask, source: Source, corpus: Corpus) -> int:
    """Explain each wrong answer of one document."""
    item = next((one for one in parsed(source.items(corpus)) if one[0].id == args.why), None)
    if item is None:
        raise InputError(f"there is no document {args.why!r} in the data", field="--why")
    scored = source.scored(source.make(), [item])
    if scored is None:
        raise InputError("predictions without scores cannot say why: --why needs --model or --scores")
    reveal.tell_learnt(source.model, corpus)
    found = list(contrasts(task, scored, source.model))
    if args.json:
        options.print_json({"document": args.why, "cases": [told.as_record(one) for one in found]})
        return 0
    if not found:
        print(f"nothing is wrong in {args.why}")
    for one in found:
        print(told.title(one))
        for sentence in told.sentences(one):
            print(f"  {sentence}")
        for feature in one.features[:_FEATURES]:
            print(f"  {told.signed(feature.adds):>8}  {feature.name}")
    return 0
