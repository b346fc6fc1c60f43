"""pull and push: corpora from and to a running Label Studio or INCEpTION."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.data.document import GOLD

TOOLS = ("label-studio", "inception")
PULL_EXAMPLES = """examples:
  python -m engine pull label-studio --url http://localhost:8080 --project 3 --token-file key.txt --out notes.jsonl
  python -m engine pull inception --url http://localhost:8081 --project 1 --user ada --token-file key.txt --out n.jsonl

What the file holds already is merged by document id: gold and annotators come from the server, other layers stay."""
PUSH_EXAMPLES = """example:
  python -m engine push label-studio --url http://localhost:8080 --project 3 --token-file key --layer links a.jsonl

Documents that the project has get the layer as predictions (Label Studio) or stay as they are (INCEpTION)."""


def add(commands: Any) -> None:
    for name, help, examples in (
        ("pull", "get a project from Label Studio or INCEpTION", PULL_EXAMPLES),
        ("push", "send documents to Label Studio or INCEpTION", PUSH_EXAMPLES),
    ):
        parser = commands.add_parser(
            name, help=help, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument(
            "tool", choices=["label-studio", "inception"], metavar="TOOL", help="label-studio, inception"
        )
        parser.add_argument("--url", required=True, help="address of the server")
        parser.add_argument("--project", required=True, metavar="N", help="number of the project")
        parser.add_argument("--user", metavar="NAME", help="who asks (INCEpTION)")
        parser.add_argument(
            "--token-file", type=Path, required=True, metavar="FILE", help="holds the access token, or the password"
        )
        options.add_json(parser)
        if name == "pull":
            parser.add_argument(
                "--out", type=Path, required=True, metavar="FILE", help="file to write, or to merge into"
            )
        else:
            parser.add_argument("data", nargs="+", type=Path, metavar="FILE", help="documents to send")
            parser.add_argument("--layer", default=GOLD, metavar="NAME", help="the layer to send (default: gold)")
        parser.set_defaults(run=pull if name == "pull" else push)


def pull(args: argparse.Namespace) -> int:
    from engine.service.remote.merging import merged

    options.check_output(args, "out")
    target = corpora.detect(args.out, reading=False)
    before = corpora.read(args.out) if args.out.exists() else []
    tool, server = _connected(args)
    documents = merged(before, tool.pull(server, args.project))
    lost = corpora.losses(documents, target.name)
    corpora.write(documents, args.out, target.name)
    counts = {"documents": len(documents), "new": len(documents) - len(before)}
    if args.json:
        options.print_json({"out": str(args.out), **counts, "lost": lost})
        return 0
    options.warn_of_losses(target, lost)
    print(f"wrote {args.out}: {counts['documents']} documents, {counts['new']} of them new")
    return 0


def push(args: argparse.Namespace) -> int:
    documents = options.read_all(args.data, quiet=args.json)
    tool, server = _connected(args)
    sent = tool.push(server, args.project, documents, args.layer)
    if args.json:
        options.print_json(sent)
        return 0
    print(f"sent {', '.join(f'{number} {name}' for name, number in sent.items())}")
    return 0


def _connected(args: argparse.Namespace) -> tuple[Any, Any]:
    """The module of the tool, and its server."""
    from engine.service.remote import inception, label_studio
    from engine.service.requests.tokens import read_secret

    tool = dict(zip(TOOLS, (label_studio, inception), strict=True))[args.tool]
    return tool, tool.connect(args.url, read_secret(args.token_file), args.user)
