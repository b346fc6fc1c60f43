"""annotate: mentions by rule over a corpus, the order in which to annotate, and what annotating more brings."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any, get_args

from engine.cli import options, reveal
from engine.cli.annotation.corpus import add_verb, add_verbs, corpus_of
from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import load_model
from engine.workbench import marking
from engine.workbench.queue import Order, queue
from engine.workbench.team import labelling
from engine.workbench.team.effort import effort, finished

EXAMPLES = """examples:
  python -m engine annotate mark --corpus news --words "Acme Corp." --type ORG          # shows what it would mark
  python -m engine annotate mark --corpus news --words "Acme Corp." --type ORG --write  # one action, one undo
  python -m engine annotate mark --corpus news --dictionary towns.tsv --type LOC --write
  python -m engine annotate mark --corpus news --pattern "[A-Z]{2,5}-[0-9]+" --type CODE --write
  python -m engine annotate undo --corpus news
  python -m engine annotate queue linking --corpus news --model linking.zip --order uncertainty
  python -m engine annotate effort linking --corpus news --dev dev.jsonl.gz

A dictionary has a name on every line, then its type and its entity, with tabs or commas between. Of an expression with
a group (?P<mention>...) that group is marked. `effort` learns from the first documents that were done, then from twice
as many, and so on, and judges each model on dev."""
SHOWN = 20


def add(commands: Any) -> None:
    verbs = add_verbs(
        commands, "annotate", "mark by rule, order the queue, see what more annotation is worth", EXAMPLES
    )
    parser = add_verb(
        verbs, "mark", "mark words, the names in a dictionary, or the matches of a regular expression", _mark
    )
    rule = parser.add_mutually_exclusive_group(required=True)
    rule.add_argument("--words", metavar="TEXT", help="these words, everywhere")
    rule.add_argument("--dictionary", type=Path, metavar="FILE", help="names, with types and entities")
    rule.add_argument("--pattern", metavar="REGEX", help="a regular expression")
    parser.add_argument("--type", metavar="NAME", help="type of the new mentions")
    parser.add_argument("--entity", metavar="NAME", help="entity of the new mentions")
    parser.add_argument("--ignore-case", action="store_true", help="ignore upper and lower case")
    parser.add_argument("--layer", default=GOLD, metavar="NAME", help="an annotator's layer instead of gold")
    parser.add_argument("--write", action="store_true", help="apply the changes; without it they are only shown")
    add_verb(verbs, "undo", "undo your last action in gold", _undo)
    parser = add_verb(verbs, "queue", "unfinished documents, the most rewarding first", _queue)
    parser.add_argument("task", choices=TASKS, metavar="TASK", help=", ".join(TASKS))
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="the model whose uncertainty counts")
    parser.add_argument("--other", type=Path, metavar="FILE", help="a second model, for disagreement")
    parser.add_argument("--order", choices=get_args(Order), default="uncertainty", help="(default: uncertainty)")
    parser = add_verb(verbs, "effort", "the score by the number of finished documents", _effort)
    parser.add_argument("task", choices=TASKS, metavar="TASK", help=", ".join(TASKS))
    options.add_data(parser, "--dev", "documents to score on", required=True)
    parser.add_argument("--learner", metavar="NAME", help="how to train (default: the paper's best)")
    options.add_preset(parser)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="a setting")
    parser.add_argument("--points", type=options.count, default=6, metavar="N", help="models (default 6)")
    options.add_resources(parser)
    reveal.add_reveal(parser)


def _rule(args: argparse.Namespace) -> marking.Rule:
    entry = marking.Entry(args.type, args.entity)
    if args.words is not None:
        return marking.same_words(args.words, entry, ignore_case=args.ignore_case)
    if args.pattern is not None:
        return marking.pattern(args.pattern, entry, ignore_case=args.ignore_case)
    try:
        text = args.dictionary.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("the dictionary is not UTF-8", file=args.dictionary) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=args.dictionary) from error
    return marking.dictionary(marking.read_dictionary(text, str(args.dictionary), entry), ignore_case=args.ignore_case)


def _mark(args: argparse.Namespace) -> int:
    rule = _rule(args)
    with corpus_of(args) as workspace:
        log, documents = workspace.annotations(args.corpus), workspace.documents(args.corpus)
        planned = marking.plan(log, documents, rule, layer=args.layer)
        if args.write:
            marking.mark_all(log, planned, user=args.user, layer=args.layer, labels=labelling.defined(log))
    marks = [(one.document, mark) for one in planned for mark in one.marks]
    touched = sum(bool(one.marks) for one in planned)
    left = sum(one.left for one in planned)
    if args.json:
        listed = [{"document": document.id, **dataclasses.asdict(mark)} for document, mark in marks]
        options.print_json({"written": args.write, "documents": touched, "left": left, "marks": listed})
        return 0
    for document, mark in marks[:SHOWN]:
        before, after = document.text[max(0, mark.start - 30) : mark.start], document.text[mark.end : mark.end + 30]
        print(f"{document.id}\t{' '.join(f'{before}«{document.text[mark.start : mark.end]}»{after}'.split())}")
    if len(marks) > SHOWN:
        print(f"... and {len(marks) - SHOWN} more")
    done = "marked" if args.write else "would be marked (add --write to do it)"
    print(f"{len(marks)} places in {touched} documents {done}; {left} left alone, where a mention or a no stands")
    return 0


def _undo(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        row = workspace.annotations(args.corpus).undo(user=args.user)
    if row is None:
        raise InputError(f"{args.user} has done nothing in gold that could be undone")
    if args.json:
        options.print_json({"undone": row.undoes})
    else:
        print("undone")
    return 0


def _queue(args: argparse.Namespace) -> int:
    task = get(args.task)
    if args.order == "disagreement" and args.other is None:
        raise InputError("disagreement needs a second model: --other FILE")
    with corpus_of(args) as workspace:
        documents, done = workspace.gold_documents(args.corpus), workspace.done_documents(args.corpus)
    predicted = [task.predict(documents, load_model(task, path)) for path in (args.model, args.other) if path]
    found = queue(
        documents,
        predicted[0],
        args.order,
        other=predicted[1] if len(predicted) > 1 else None,
        decides=task.decides,
        done=done,
    )
    if args.json:
        rows = [{"document": documents[one.position].id, "gain": one.gain, "why": one.why} for one in found]
        options.print_json({"order": args.order, "queue": rows})
        return 0
    for one in found:
        print(f"{documents[one.position].id}\t{one.gain:.3f}\t{one.why}")
    return 0


def _effort(args: argparse.Namespace) -> int:
    task = get(args.task)
    reveal.check(args, args.dev)
    info = task.learner(args.learner or task.default_learner, args.preset)
    settings, resources = options.settings_of(info.settings, args.settings), options.resources_of(args)
    with corpus_of(args) as workspace:
        done = finished(workspace.annotations(args.corpus), workspace.documents(args.corpus))
    dev = options.read_all(args.dev)
    points = []
    for point in effort(task, info.name, settings, done, dev, resources, args.points):
        points.append(dataclasses.asdict(point))
        if not args.json:
            print(
                f"{point.documents} documents, {point.minutes:.0f} minutes: {task.main_name} {100 * point.score:.1f} %"
            )
    if args.json:
        options.print_json({"score": task.main_name, "points": points})
    return 0
