"""scores import, check, describe, calibrate: what other programs weighed, with a score for each."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from engine import corpora
from engine.cli import blocks, options
from engine.cli.progress import reading_bar
from engine.corpora.formats import jsonl
from engine.corpora.io import files
from engine.corpora.io.aside import Aside, DocumentsAside
from engine.corpora.scores.calibration import METHODS, Calibration, fit
from engine.corpora.scores.importers import IMPORTERS, by_name, import_file
from engine.corpora.scores.importers.reading import Asked
from engine.corpora.scores.records import PARTS, ScoreRecord, stream
from engine.corpora.scores.scales import ALTERNATIVES, SCALES, comparable
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.outside.records import consistent_records
from engine.tasks.registry import get
from engine.workbench.blocks.sources import ScoresSource

EXAMPLES = """examples:
  python -m engine scores import --from refined refined.jsonl scores.jsonl
  python -m engine scores import --from antecedents fastcoref.npz scores.jsonl --null last --data dev.conll
  python -m engine scores check linking scores.jsonl --data dev.jsonl
  python -m engine scores describe scores.jsonl
  python -m engine scores calibrate scores.jsonl better.jsonl --calibrate temperature --data dev.jsonl --map map.json
  python -m engine scores calibrate test.jsonl better-test.jsonl --use map.json

Then --scores scores.jsonl stands wherever --model stands: predict, evaluate, curve, errors, report; compare takes the
file as a system. docs/guide/scores.md says how each program is made to write its scores."""

X = TypeVar("X")

KINDS = {"Link": "entities of spans", "Arc": "antecedents", "Label": "relations of bags", "Typed": "types"}


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "scores",
        help="scores of other programs",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_import(actions)
    check = _action(actions, "check", "read a file of scores as a system would", run_check)
    options.add_task(check)
    check.add_argument("file", metavar="FILE", type=Path)
    options.add_data(check, "--data", "the documents that the scores are about")
    describe = _action(actions, "describe", "describe a file of scores", run_describe)
    describe.add_argument("file", metavar="FILE", type=Path)
    options.add_data(describe, "--data", "the documents, where the file has no texts")
    _add_calibrate(actions)


def _add_calibrate(actions: Any) -> None:
    parser = _action(actions, "calibrate", "rescale scores so that they are probabilities", run_calibrate)
    parser.add_argument("source_file", metavar="IN", type=Path, help="records of scores")
    parser.add_argument("out", metavar="OUT", type=Path, help="a .jsonl or .jsonl.gz file to write")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--calibrate", choices=METHODS, help="fit one temperature, or isotonic steps, to gold of --data")
    how.add_argument("--use", type=Path, metavar="MAP", help="a file that an earlier --calibrate wrote with --map")
    options.add_data(parser, "--data", "documents with gold: dev, not the test data")
    parser.add_argument("--map", type=Path, metavar="FILE", help="also write the fitted map, for --use")


def _add_import(actions: Any) -> None:
    parser = _action(actions, "import", f"from {', '.join(IMPORTERS)}", run_import)
    parser.add_argument("--from", dest="source", required=True, metavar="NAME", help=", ".join(IMPORTERS))
    parser.add_argument("source_file", metavar="IN", type=Path)
    parser.add_argument("out", metavar="OUT", type=Path, help="a .jsonl or .jsonl.gz file to write")
    options.add_data(parser, "--data", "what the scores are about, where IN does not hold it")
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help="table of entity names: their id, tab, the name in the data"
    )
    parser.add_argument("--scale", choices=SCALES, help="what the numbers are, where IN does not say")
    parser.add_argument(
        "--alternatives", choices=ALTERNATIVES, help="how complete the alternatives are, if the file does not tell"
    )
    parser.add_argument("--null", choices=("first", "last"), default="last", help="the column of no antecedent")


def _action(actions: Any, name: str, help: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=help, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_json(parser)
    parser.set_defaults(run=run)
    return parser


def run_import(args: argparse.Namespace) -> int:
    options.check_output(args, "out")
    _check_jsonl(args.out)
    title = by_name(args.source).module.TITLE
    asked = Asked(args.data, _names(args.names), args.scale, args.alternatives, args.null)
    passed: Counter[str] = Counter()
    documents = _watched(import_file(args.source, args.source_file, asked), passed)
    with (
        options.naming([args.source_file]),
        _reading(args, documents, args.source_file) as counted,
    ):
        corpora.write(counted, args.out, "jsonl")
    if args.json:
        options.print_json({"out": str(args.out), "skipped": asked.skipped, **passed})
        return 0
    if asked.skipped:
        print(f"warning: {asked.skipped} documents of {title} are not in the data and were left out", file=sys.stderr)
    print(f"wrote {args.out}: {passed['documents']} documents, {passed['parts']} parts")
    return 0


def _reading(args: argparse.Namespace, items: Iterable[X], path: Path) -> AbstractContextManager[Iterator[X]]:
    return reading_bar(items, f"reading {path.name}", [path], quiet=args.json)


def _watched(documents: Iterable[Document], passed: Counter[str]) -> Iterator[Document]:
    seen = Aside()
    for document in documents:
        if document.id in seen:
            raise InputError(f"document {document.id!r} occurs twice")
        seen.keep(document.id)
        passed.update(documents=1, parts=len(document.extra[PARTS]))
        yield document
    if not passed["documents"]:
        raise InputError("there is no document with scores")


def _names(path: Path | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in files.lines(path) if path is not None else ():
        theirs, tab, ours = line.rstrip("\r").partition("\t")
        if not (theirs and tab and ours):
            raise InputError("expected a name, a tab and another name", file=path, line=number)
        found[theirs] = ours
    return found


def run_check(args: argparse.Namespace) -> int:
    """Check the file as --scores would, without deciding."""
    task = get(args.task)
    corpus = blocks.corpus_of(args.data, None, quiet=args.json) if args.data else None
    blocks.settle()
    source = ScoresSource(task.name, args.file).over(corpus)
    assert source.whole is not None
    first = source.scored(None, list(islice(source.items(corpus), 1)))
    with _reading(args, (record for _, record in source.items(corpus)), args.file) as records:
        told = _described(records)
    found = {"task": task.name, "matched": source.whole.n_documents, "bias": first.bias, **told}
    return _tell(args, found)


def run_calibrate(args: argparse.Namespace) -> int:
    """Fit in one pass over the scores and write in another; neither keeps more than the numbers in memory."""
    options.check_output(args, "out")
    _check_jsonl(args.out)
    if args.map is not None:
        options.check_output(args, "map")
    documents = _aside(args.data)
    if args.use is not None:
        with options.naming([args.use]):
            found = Calibration.from_json(jsonl.parse(files.whole(args.use)))
    else:
        if not documents:
            raise InputError("there is nothing to fit to: name documents with gold with --data")
        records = (one for one in consistent_records(args.source_file, documents) if one.document.id in documents)
        with options.naming([args.source_file]), _reading(args, records, args.source_file) as counted:
            found = fit(args.calibrate, ((one, documents[one.document.id]) for one in counted))
    passed: Counter[str] = Counter()
    again = consistent_records(args.source_file, documents)
    with options.naming([args.source_file]), _reading(args, again, args.source_file) as counted:
        corpora.write(_watched((found.applied(one) for one in counted), passed), args.out, "jsonl")
    if args.map is not None:
        with files.FileBatch() as batch:
            batch.create(args.map).write(f"{json.dumps(found.to_json())}\n".encode())
    if args.json:
        options.print_json({"out": str(args.out), **found.to_json(), **passed})
        return 0
    print(f"wrote {args.out}: {passed['documents']} documents, {passed['parts']} parts; {found.told()}")
    return 0


def _aside(paths: list[Path]) -> DocumentsAside:
    """The documents of some files by id; a repeated id is refused."""
    return DocumentsAside(blocks.corpus_of(paths, None)) if paths else DocumentsAside()


def _check_jsonl(path: Path) -> None:
    if corpora.detect(path, reading=False).name != "jsonl":
        raise InputError("scores are written as .jsonl or .jsonl.gz; name such a file", file=path)


def run_describe(args: argparse.Namespace) -> int:
    documents = _aside(args.data)
    with _reading(args, stream(args.file, documents), args.file) as records:
        found = _described(records)
    return _tell(args, found)


def _described(records: Iterable[ScoreRecord]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    scales: Counter[str] = Counter()
    alternatives: Counter[str] = Counter()
    calibrated: Counter[str] = Counter()
    low, high = float("inf"), float("-inf")
    notes: dict[str, None] = {}
    for record in records:
        counts.update(documents=1, parts=len(record.parts))
        scales[record.scale] += 1
        calibrated[record.calibration] += 1
        alternatives[record.alternatives] += 1
        for part in record.parts:
            kinds[KINDS.get(type(part).__name__, "relations of mentions")] += 1
            low, high = min(low, part.score), max(high, part.score)
        if record.declines:
            counts.update({"documents where declining is scored": 1})
        elif record.parts:
            notes[comparable(record.scale, declining=False)] = None
    return {
        **counts,
        "holds": ", ".join(f"{number} {kind}" for kind, number in kinds.items()),
        "scale": ", ".join(scales),
        "alternatives": ", ".join(alternatives),
        "calibration": "; ".join(one for one in calibrated if one),
        "lowest": low if counts["parts"] else None,
        "highest": high if counts["parts"] else None,
        "note": "; ".join(note for note in notes if note and not counts["documents where declining is scored"]),
    }


def _tell(args: argparse.Namespace, found: dict[str, Any]) -> int:
    if args.json:
        options.print_json(found)
        return 0
    for name, value in found.items():
        if value not in (None, ""):
            print(f"{name:<40}{value:g}" if isinstance(value, float) else f"{name:<40}{value}")
    return 0
