"""serve: serve trained models over HTTP: our own REST, and the protocols of annotation tools."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.data.errors import InputError

EXAMPLES = """examples:
  python -m engine serve --model linking=linking.zip --model coreference=c.zip
  python -m engine serve --run linking-20250103-101500            # a run of the workspace, at its operating point
  python -m engine serve --model joint=j.zip --host 0.0.0.0 --token-file token.txt --workers 4
  curl localhost:8600/v1/models/linking/predict --json '{"text": "The Lakers beat Boston"}'

docs/guide/serve.md says how to connect INCEpTION, Label Studio, GERBIL and doccano."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "serve",
        help="serve trained models over HTTP",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--model", action="append", default=[], metavar="SYSTEM=FILE", help="a model file; may be repeated"
    )
    parser.add_argument("--run", dest="runs", action="append", default=[], metavar="NAME", help="a run of a workspace")
    parser.add_argument(
        "--workspace",
        type=Path,
        default=Path(os.environ.get("ESPALIER_WORKSPACE") or "workspace"),
        metavar="DIR",
        help="workspace of the runs (default: $ESPALIER_WORKSPACE, or ./workspace)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=port, default=8600, help="1 to 65535 (default 8600)")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="file with the token that clients must send; required with --host",
    )
    parser.add_argument("--workers", type=options.count, default=1, metavar="N", help="worker processes (default 1)")
    parser.add_argument(
        "--seconds", type=options.number, default=30.0, metavar="S", help="time limit of a request (default 30)"
    )
    parser.add_argument(
        "--megabytes", type=options.count, default=16, metavar="M", help="size limit of a request (default 16)"
    )
    learning = parser.add_argument_group("learning from INCEpTION and Label Studio")
    learning.add_argument("--learn", action="store_true", help="train on annotations made there, on request")
    learning.add_argument(
        "--train",
        action="append",
        default=[],
        metavar="SYSTEM=FILE",
        help="additional training documents; may be repeated",
    )
    options.add_resources(learning)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # Imported here, because other commands should not load the web framework.
    from engine.service.models.learning import Lessons
    from engine.service.requests.limits import Limits
    from engine.service.serving import Plan, serve

    files: dict[str, list[Path]] = {}
    for system, file in (_pair("--train", text) for text in args.train):
        files.setdefault(system, []).append(file)
    return serve(
        Plan(
            models=[_pair("--model", text) for text in args.model],
            runs=args.runs,
            workspace=args.workspace,
            host=args.host,
            port=args.port,
            token_file=args.token_file,
            workers=args.workers,
            lessons=Lessons(tuple(_resources(args)), files) if args.learn else None,
            limits=Limits(body=args.megabytes << 20, seconds=max(0.1, args.seconds)),
        )
    )


def port(text: str) -> int:
    """A valid port number."""
    value = int(text)
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 65535")
    return value


def _pair(option: str, text: str) -> tuple[str, Path]:
    system, equals, file = text.partition("=")
    if not (equals and system and file):
        raise InputError(f"{option} takes SYSTEM=FILE, not {text!r}")
    return system, Path(file)


def _resources(args: argparse.Namespace) -> list[str]:
    """The resources, as in the options of `train`."""
    given: list[str] = []
    for name, value in (("lexicon", args.lexicon), ("vectors", args.vectors), ("gazetteer", args.gazetteer)):
        given += [f"--{name}", *map(str, value)] if value else []
    for name, value in (("constraints", args.constraints), ("cluster", args.cluster)):
        given += [f"--{name}", str(value)] if value is not None else []
    return [*given, "--jobs", str(args.jobs)]
