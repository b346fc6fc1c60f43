"""experiment: learners side by side over seeds, corpora and settings, as the tables of a paper."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.cli import options, reveal
from engine.cli.models.train import progress
from engine.cli.progress import Clock
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import AnyTask, Resources
from engine.tasks.capabilities import ForcesDecisions
from engine.tasks.presets import PRESETS
from engine.tasks.training.reusing import reusing
from engine.workbench.experiments import saved, summary, tabled
from engine.workbench.experiments.plan import Corpora, Plan, has
from engine.workbench.experiments.running import Outcome, Runner

EXAMPLES = """examples:
  python -m engine experiment linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ --out results \\
      --learners perceptron ssvm lambdarank mart s-mart s-mart-2 --presets paper default --tune --seeds 0 1 2
  python -m engine experiment disambiguation --train train.jsonl --dev dev.jsonl --eval news=a.jsonl web=b.jsonl \\
      --learners local bs bsg bibsg --tune --final --out results
  python -m engine experiment coreference --train train.conll --dev dev.conll --vary beam=20,100 --out results
  python -m engine experiment distant --train train.jsonl --dev dev.jsonl --shares 0.1 --seeds 0 1 2 3 4 --out results
  python -m engine experiment joint --train train.jsonl --dev dev.jsonl --forced Kill --out results

Ctrl-C keeps the trials that are done; the same command goes on from there, and one with more seeds, learners or shares
adds to them. A folder in `workspace/experiments` is shown on the app's page Experiments."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "experiment",
        help="learners side by side, as the tables of a paper",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_data(parser, "--train", "documents to learn from", required=True)
    options.add_data(parser, "--dev", "documents to choose settings on; also to score on, unless --eval names others")
    parser.add_argument(
        "--eval", nargs="+", default=[], metavar="NAME=FILE", help="documents to score on, each under a name"
    )
    add_compared(parser)
    parser.add_argument("--shares", nargs="+", type=options.share, default=[1.0], help="shares of train to learn from")
    parser.add_argument(
        "--deviations", action="store_true", help="also the default with one setting at a time as in the paper"
    )
    parser.add_argument("--tune", action="store_true", help="choose settings on dev over the paper's grids")
    parser.add_argument("--final", action="store_true", help="then train on train and dev together; needs --eval")
    parser.add_argument("--forced", metavar="RELATION", help="also forced decisions for this relation (joint)")
    options.add_json(parser)
    parser.set_defaults(run=run)


def add_compared(parser: argparse.ArgumentParser) -> None:
    """Add the options of all commands that compare learners: which ones, their settings, and where results go."""
    parser.add_argument("--learners", nargs="+", metavar="NAME", help="learners to compare (default: all)")
    parser.add_argument(
        "--presets", nargs="+", choices=PRESETS, default=["default"], help="presets to compare (default: default)"
    )
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting for all learners that have it; may be repeated",
    )
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=V1,V2,...",
        help="a setting whose values are compared; may be repeated",
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], help="seeds to train with (default: 0)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where trials and tables are kept")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables here too, as Markdown")
    parser.add_argument("--quiet", action="store_true", help="no progress bars for single trainings")
    options.add_resources(parser)
    reveal.add_reveal(parser)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    if args.final and not args.eval:
        raise InputError("--final learns from dev too: name other documents to judge on with --eval")
    if not args.dev and (args.tune or not args.eval):
        raise InputError("name documents with --dev: to choose settings on, or to judge on where there is no --eval")
    if args.forced is not None and not isinstance(task, ForcesDecisions):
        raise InputError(f"{task.name} has no test of forced decisions")
    plan = plan_of(args, task, shares=tuple(args.shares), tunes=args.tune, final=args.final, deviations=args.deviations)
    judged = _named(args.eval)
    reveal.check(args, [*args.dev, *judged.values()], made=args.out)
    corpora = Corpora(options.read_all(args.train), options.read_all(args.dev), _read(judged))
    reveal.tell_overlap(corpora.train, corpora.dev)
    return carry_out(args, task, plan, corpora, args.forced)


def plan_of(args: argparse.Namespace, task: AnyTask, **more: Any) -> Plan:
    """The plan of what is compared; InputError if no learner has a given setting."""
    learners = tuple(args.learners or task.learners)
    infos = [task.learner(name) for name in learners]
    varied = []
    for text in args.vary:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--vary takes KEY=V1,V2,..., not {text!r}")
        varied.append(tuple(f"{name.strip()}={value}" for value in values.split(",")))
    for text in [*args.settings, *(axis[0] for axis in varied)]:
        if not any(has(info.settings, text) for info in infos):
            raise InputError(f"none of the learners {', '.join(learners)} has the setting {text!r}")
    return Plan(
        task.name,
        learners,
        tuple(args.presets),
        tuple(args.settings),
        tuple(varied),
        tuple(dict.fromkeys(args.seeds)),
        **more,
    )


def _named(named: Sequence[str]) -> dict[str, Path]:
    """The files of --eval by name."""
    found: dict[str, Path] = {}
    for text in named:
        name, equals, path = text.partition("=")
        if not equals or not name or not path or name in ("train", "dev") or name in found:
            raise InputError(f"--eval takes NAME=FILE with a name of its own, not {text!r}")
        found[name] = Path(path)
    return found


def _read(judged: Mapping[str, Path]) -> dict[str, list[Document]]:
    found = {name: options.read_all([path]) for name, path in judged.items()}
    for name, documents in found.items():
        if not documents:
            raise InputError("there is no document to judge on", file=judged[name])
    return found


def carry_out(args: argparse.Namespace, task: AnyTask, plan: Plan, corpora: Corpora, forced: str | None = None) -> int:
    """Run the trials that are not done yet, and write the tables, even if it is interrupted."""
    if not corpora.train:
        raise InputError("there is no document to learn from")
    resources = options.resources_of(args)
    # With paths relative to the folder, so that the command can be repeated wherever the files are.
    command = shlex.join(["python", "-m", "engine", *sys.argv[1:]]) if len(sys.argv) > 1 else ""
    about = saved.About(plan, saved.about_documents(corpora), _names(resources), forced, command)
    experiment = saved.begin(args.out, about)
    planned = plan.trials(task)
    waiting = [trial for trial in planned if trial.key not in experiment.outcomes]
    if len(waiting) < len(planned):
        print(f"{len(planned) - len(waiting)} of {len(planned)} trials were done before", file=sys.stderr)
    quiet = args.quiet or args.json
    runner = Runner(task, plan, corpora, resources, forced, lambda rounds: progress(rounds, quiet=quiet))
    clock, interrupted = Clock(len(waiting)), False
    try:
        with reusing():
            for trial in waiting:
                outcome = runner.run(trial)
                experiment = experiment.with_outcome(outcome)
                print(clock.done(f"{trial.key}, {_told(task, outcome)}"), file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
    written = tabled.write(task, experiment, args.markdown)
    _tell(args, task, experiment, written, interrupted, len(planned))
    return 2 if interrupted else 0


def _names(resources: Resources) -> tuple[str, ...]:
    named = [*resources.lexicon, *resources.vectors, *resources.gazetteers, resources.constraints]
    return tuple(path.name for path in named if path is not None)


def _told(task: AnyTask, outcome: Outcome) -> str:
    return ", ".join(
        f"{corpus} {task.main_name} {100 * scores[summary.main_of(task, scores)]:.1f} %"
        for corpus, scores in outcome.scores.items()
    )


def _tell(
    args: argparse.Namespace,
    task: AnyTask,
    experiment: saved.Experiment,
    written: Sequence[Path],
    interrupted: bool,
    planned: int,
) -> None:
    done = len(experiment.outcomes)
    if args.json:
        rows: list[Mapping[str, Any]] = [
            {
                "system": line.system,
                "corpus": line.corpus,
                "share": line.share,
                "runs": line.runs,
                "scores": {name: value for name, (value, _) in line.scores.items()},
                "difference": None if line.difference is None else vars(line.difference),
            }
            for line in summary.lines(task, experiment)
        ]
        options.print_json(
            {"folder": str(experiment.folder), "done": done, "interrupted": interrupted, "systems": rows}
        )
        return
    for table in tabled.tables(task, experiment):
        print(f"{table.name}\n{table.markdown()}")
    for note in sorted({note for one in experiment.outcomes.values() for note in one.notes}):
        print(f"warning: {note}", file=sys.stderr)
    state = f"interrupted; {done} of {planned} trials are kept in" if interrupted else "wrote"
    print(f"{state} {experiment.folder}: {', '.join(path.name for path in written)}")
