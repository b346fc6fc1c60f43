"""describe: what a system can be told and what it looks at: learners, settings, features; or what a model file is."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from textwrap import fill
from typing import Any

from engine.cli import options
from engine.settings import Settings, takes
from engine.tasks.base import AnyTask, LearnerInfo
from engine.tasks.presets import changes
from engine.tasks.saving import load_model

EXAMPLES = """examples:
  python -m engine describe linking                        # its learners
  python -m engine describe linking --learner s-mart       # what --set takes for this one
  python -m engine describe linking --learner s-mart --preset paper   # and what the paper's preset changes
  python -m engine describe linking --features             # every feature by name
  python -m engine describe linking --model linking.zip    # how a model was made"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "describe",
        help="learners, settings and features of a system",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--learner", metavar="NAME", help="list the settings of this learner")
    options.add_preset(parser)
    what.add_argument("--features", action="store_true", help="list the features")
    what.add_argument("--model", type=Path, metavar="M", help="tell how this model was made")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    if args.model is not None:
        found = _model(task, args.model)
    elif args.learner is not None:
        found = {"settings": _settings(task.learner(args.learner, args.preset).settings)}
        found["changes"] = _changes(task.learner(args.learner), args.preset)
    elif args.features:
        found = {"features": [dataclasses.asdict(feature) for feature in task.features()]}
    else:
        found = {
            "learners": [
                {"name": one.name, "title": one.title, "about": one.sentence} for one in task.learners.values()
            ],
            "default": task.default_learner,
        }
    if args.json:
        options.print_json(found)
    elif args.model is not None:
        options.print_report(found)
    else:
        _print(found)
    return 0


def _model(task: AnyTask, path: Path) -> dict[str, Any]:
    model = load_model(task, path)
    return {
        "learner": model.learner,
        "bias": f"{model.bias:.6g}",
        "chosen": model.chosen or "nothing",
        "learnt from (hash)": model.data_hash or "unknown",
        **({"notes": "; ".join(model.notes)} if model.notes else {}),
        "settings": {name: str(value) for name, value in dataclasses.asdict(model.settings).items()},
        "scores when it was made": dict(model.scores),
    }


def _changes(info: LearnerInfo[Any], preset: str) -> list[dict[str, Any]]:
    """The settings in which a preset differs from the default."""
    return [dataclasses.asdict(change) for change in changes(info.settings, info.preset(preset))]


def _settings(settings: Settings) -> list[dict[str, Any]]:
    return [
        {
            "name": spec.name,
            "default": getattr(settings, spec.name),
            "takes": takes(type(settings), spec.name),
            "low": spec.metadata["low"],
            "high": spec.metadata["high"],
            "about": spec.metadata["help"],
        }
        for spec in dataclasses.fields(settings)
    ]


def _print(found: dict[str, Any]) -> None:
    for row in found.get("learners", ()):
        mark = " (default)" if row["name"] == found["default"] else ""
        print(f"{row['name']}{mark}: {row['title']}")
        print(fill(row["about"], 100, initial_indent="    ", subsequent_indent="    "))
    changed = {row["name"]: row["default"] for row in found.get("changes", ())}
    for row in found.get("settings", ()):
        limits = [f"{word} {row[key]:g}" for key, word in (("low", "from"), ("high", "to")) if row[key] is not None]
        usual = f"; by default {changed[row['name']]}" if row["name"] in changed else ""
        print(f"{row['name']}={row['default']}  ({', '.join([row['takes'], *limits])}{usual})")
        print(fill(row["about"], 100, initial_indent="    ", subsequent_indent="    "))
    group = None
    for row in found.get("features", ()):
        if row["group"] != group:
            group = row["group"]
            print(group)
        print(fill(f"{row['name']}: {row['help']}", 100, initial_indent="    ", subsequent_indent="        "))
