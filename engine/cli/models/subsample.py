"""subsample: learners compared on the same random parts of the training data, with t-intervals.

Haffari et al. (2015, Table 1) report averages over 15 random tenths with 90 % intervals of Student's t; so do we, with
a paired t-test of every learner against the first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.cli import options, reveal
from engine.cli.progress import Clock
from engine.data.errors import InputError
from engine.metrics.significance import t_interval
from engine.tasks.base import AnyTask
from engine.workbench.experiments.choosing import judge, name_of, trained

EXAMPLES = """example:
  python -m engine subsample distant --train train.jsonl.gz --dev dev.jsonl.gz --learners hoffmann mm-hamming mm-f

Settings given with --set go to every learner that has them."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "subsample",
        help="compare learners on random parts of the training data",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_learning(parser)
    parser.add_argument("--learners", nargs="+", metavar="NAME", help="learners to compare (default: all)")
    parser.add_argument("--share", type=float, default=0.1, help="part of the documents to train on (default 0.1)")
    parser.add_argument("--times", type=int, default=15, help="how many random parts (default 15)")
    parser.add_argument("--level", type=float, default=0.9, help="level of the intervals (default 0.9)")
    parser.add_argument("--seed", type=int, default=0)
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if not args.dev:
        raise InputError("subsample needs --dev: the documents to score on")
    if not 0 < args.share <= 1 or args.times < 2 or not 0 < args.level < 1:
        raise InputError("--share lies in (0, 1], --level in (0, 1), and --times is at least 2")
    reveal.check(args, args.dev)
    task = options.task_of(args)
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    reveal.tell_overlap(train, dev)
    if args.learner and args.learners:
        raise InputError("give --learner or --learners, not both")
    names = args.learners or ([args.learner] if args.learner else list(task.learners))
    learners = {name: task.learner(name, args.preset) for name in names}
    for text in args.settings:
        if not any(_has(info.settings, text) for info in learners.values()):
            raise InputError(f"none of the learners {', '.join(names)} has the setting {text!r}")
    if args.task == "distant" and not any("bags=entire" in text.replace(" ", "") for text in args.settings):
        train = [document for document in train if document.gold.labels]
    resources = options.resources_of(args)
    rng = np.random.default_rng(args.seed)
    size = max(1, round(args.share * len(train)))
    parts = [sorted(rng.choice(len(train), size, replace=False).tolist()) for _ in range(args.times)]
    results: dict[str, dict[str, list[float]]] = {}
    noted: dict[str, None] = {}
    fixed = list(map(name_of, args.settings))
    clock = Clock(len(learners) * len(parts))
    for name, info in learners.items():
        settings = options.settings_of(info.settings, [text for text in args.settings if _has(info.settings, text)])
        scores: dict[str, list[float]] = {}
        for part in parts:
            documents = [train[i] for i in part]
            model, _ = trained(task, (documents, []), name, settings, resources, fixed=fixed)
            report = judge(task, model, dev)
            for score, value in _shown(task, report).items():
                scores.setdefault(score, []).append(value)
            noted.update(dict.fromkeys(f"{name}: {note}" for note in model.notes))
            main = 100 * scores[task.main_score[-1]][-1]
            print(clock.done(f"{name}, {task.main_name} {main:.1f} %"), file=sys.stderr)
        results[name] = scores
    for note in noted:
        print(f"warning: {note}", file=sys.stderr)
    _tell(args, results, size)
    return 0


def _has(settings: Any, text: str) -> bool:
    return hasattr(settings, text.partition("=")[0].strip())


def _shown(task: AnyTask, report: Mapping[str, Any]) -> dict[str, float]:
    """Precision and recall if the main score is based on them, followed by the main score."""
    beside: Any = report
    for key in task.main_score[:-1]:
        beside = beside[key]
    main = task.main_score[-1]
    sides = {name: float(beside[name]) for name in ("precision", "recall") if main == "f1"}
    return {**sides, main: task.main_number(report)}


def _tell(args: argparse.Namespace, results: dict[str, dict[str, list[float]]], size: int) -> None:
    from scipy.stats import ttest_rel

    names = list(next(iter(results.values())))
    main = names[-1]
    first = next(iter(results))
    summary: dict[str, Any] = {}
    for name, scores in results.items():
        summary[name] = {}
        for score, values in scores.items():
            found = t_interval(values, args.level)
            summary[name][score] = {"mean": found.value, "half_width": found.high - found.value, "values": values}
        if name != first:
            summary[name]["p_against"] = {first: float(ttest_rel(scores[main], results[first][main]).pvalue)}
    if args.json:
        options.print_json(
            {"share": args.share, "times": args.times, "documents": size, "level": args.level, "learners": summary}
        )
        return
    print(f"{args.times} random parts of {size} documents, mean ± {100 * args.level:g} % t-interval")
    print(f"{'':14}" + "".join(f"{score:>16}" for score in names) + f"{f'p ({main})':>12}")
    for name, one in summary.items():
        cells = "".join(f"{100 * one[s]['mean']:10.1f} ±{100 * one[s]['half_width']:4.1f}" for s in names)
        p = one.get("p_against", {}).get(first)
        print(f"{name:14}{cells}{'' if p is None else f'{p:12.3g}'}")
