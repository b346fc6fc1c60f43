"""`python -m engine select-features coreference`: which templates are worth having, chosen greedily, resumable."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from engine.cli import options, reveal
from engine.corpora import data_hash
from engine.data.errors import InputError

EXAMPLES = """example:
  python -m engine select-features coreference --train train.conll.gz --set mentions=gold --out templates.json
  python -m engine train coreference --train train.conll.gz --set templates=templates.json --model m.zip

Local templates are chosen first, non-local ones beside them afterwards (not with --set features=local).

Stop it whenever you like: --out holds the best set so far, and the same command goes on from there."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "select-features",
        help="choose feature templates greedily",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", choices=["coreference"])
    parser.add_argument("--train", type=Path, nargs="+", required=True, metavar="FILE", help="documents to choose on")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="settings")
    parser.add_argument(
        "--start",
        choices=["all", "none"],
        default="all",
        help="start with all templates and remove what hurts, or with none and add what helps (default all)",
    )
    parser.add_argument(
        "--pool", type=Path, metavar="FILE", help="templates to choose from (default: the built-in ones)"
    )
    parser.add_argument("--lexicon", type=Path, nargs="+", default=[], metavar="FILE", help="gender lists")
    parser.add_argument("--iterations", type=options.count, default=5, help="passes per trial (default 5)")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="file for the chosen templates; it also records progress",
    )
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from engine.features.coreference.templates import Templates
    from engine.tasks.coreference.settings import LEARNERS
    from engine.tasks.coreference.state import read_gender
    from engine.tasks.coreference.training.selection import Trial, select_templates

    options.check_output(args, "out")
    reveal.check(args, args.train, made=args.out)
    settings = options.settings_of(LEARNERS["delayed-laso"].settings, [f"n_rounds={args.iterations}", *args.settings])
    documents = [document for document in options.read_all(args.train) if document.gold.clusters]
    pool = Templates.read(settings.templates if args.pool is None else str(args.pool))
    start = Templates((), (), ()) if args.start == "none" else Templates.read(settings.templates)
    if settings.features == "local":
        start, pool = replace(start, cluster=()), replace(pool, cluster=())
    gender = read_gender(args.lexicon)
    about = {
        "data": data_hash(documents),
        "settings": asdict(settings),
        "start": start.to_json(),
        "pool": pool.to_json(),
        "gender": hashlib.sha256(json.dumps(gender, sort_keys=True).encode()).hexdigest(),
    }
    known, log = _memory(args.out, about)
    # A bar for the trials of this turn; the changes that were kept are printed above it.
    bar = tqdm(total=1, unit="trial", disable=True if args.json else None)

    def on_trial(trial: Trial) -> None:
        bar.total, bar.n = trial.total, trial.done
        bar.set_postfix_str(f"{100 * trial.score:.2f} {trial.change}"[:70])
        bar.refresh()
        _save(args.out, current, about, known, log)

    current = start
    for step in select_templates(
        documents, settings, start=start, pool=pool, gender=gender, known=known, on_trial=on_trial
    ):
        current = step.templates
        log.append({"change": step.change, "conll": step.score})
        _save(args.out, current, about, known, log)
        if not args.json:
            tqdm.write(f"{100 * step.score:6.2f}  {step.change}")
    bar.close()
    if args.json:
        chosen = {part: len(names) for part, names in current.to_json().items()}
        options.print_json({"out": str(args.out), "templates": chosen, "steps": log, "trials": len(known)})
        return 0
    print(f"{args.out}: {len(current.root)} + {len(current.pair)} + {len(current.cluster)} templates")
    return 0


def _memory(path: Path, about: dict[str, Any]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Scores of the trials of an earlier run, and an empty log: its steps are repeated from the stored scores."""
    if not path.is_file():
        return {}, []
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {str(key): float(value) for key, value in raw["trials"].items()}
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"this is not the record of a feature selection ({error}); move it away", file=path) from error
    if raw.get("about") != about:
        raise InputError(
            "this remembers a selection with other settings or other documents; move it away or choose another --out",
            file=path,
        )
    return known, []


def _save(
    path: Path, templates: Any, about: dict[str, Any], known: dict[str, float], log: list[dict[str, Any]]
) -> None:
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(
        json.dumps({"templates": templates.to_json(), "about": about, "log": log, "trials": known}, indent=1),
        encoding="utf-8",
    )
    os.replace(scratch, path)
