"""What outside scores cost: 100,000 documents with 50 parts each, imported, checked, decided, judged and curved.

    python -m benchmarks.bench_scores [--quick | --documents N]

Another program's answers about made-up texts (ReFinED's shape: ten spans with four entities and none of the above; and
the same as rows of neleval, whose texts come from --data) go through the commands, each in a process of its own. For
each: documents a second by the clock, documents for each second of a processor (which says more on a shared machine),
and the most memory it held, for a tenth of the documents and for all of them; memory that does not grow with the corpus
is about the same in both columns, and the limit is 1.2 times. Below them, the speed of a linker of ours on a tenth of
the documents, texts of the sample (how its memory grows: bench_scale). What is measured is printed as it is known, and
all of it once more at the end.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.places import ROOT, SAMPLES, parser
from engine import corpora
from engine.corpora.formats import jsonl
from engine.data.document import Document, Layer, Mention
from engine.tasks.base import Resources
from engine.tasks.registry import get
from engine.tasks.saving import save_model

DOCUMENTS, QUICK = 100_000, 400
SPANS, ENTITIES = 10, 4
LIMIT = 1.2
"""How much more memory ten times the documents may take."""
WATCHED = """
import atexit, re, runpy, sys
def told():
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    print("peak", peak, file=sys.stderr)
atexit.register(told)
sys.argv = ["engine", *sys.argv[1:]]
runpy.run_module("engine", run_name="__main__")
"""
"""What `python -m engine` does; at the end it says how many kilobytes it held at most."""


def made_up(n: int) -> Iterator[tuple[dict[str, Any], Document]]:
    """What ReFinED would write about a text, and the text with gold."""
    chance = random.Random(0)
    for number in range(n):
        words = [f"Name{chance.randrange(500)}" for _ in range(SPANS)]
        text = " and ".join(words)
        spans, mentions, at = [], [], 0
        for word in words:
            shares = sorted((chance.random() for _ in range(ENTITIES + 1)), reverse=True)
            total = sum(shares)
            ranked = [[f"{word} {i}", round(share / total, 4)] for i, share in enumerate(shares[:-1])]
            spans.append({"start": at, "ln": len(word), "top_k_predicted_entities": ranked})
            if chance.random() < 0.7:
                entity = f"{word} {chance.choice((0, 0, 0, 1))}"
                mentions.append(Mention(at, at + len(word), entity=entity))
            at += len(word) + len(" and ")
        gold = Document(f"d{number}", text, layers={"gold": Layer(tuple(mentions))}, shape="tweet")
        yield {"id": f"d{number}", "text": text, "spans": spans}, gold


class Measured(NamedTuple):
    by_clock: float
    """Documents a second."""
    by_processor: float
    """Documents for each second that processors worked."""
    megabytes: float

    def __str__(self) -> str:
        return f"{self.by_clock:8,.0f} /s{self.by_processor:8,.0f} /CPU s{self.megabytes:6,.0f} MB"


def run(n: int, *arguments: str | Path) -> Measured:
    """What a command costs on n documents."""
    begun, before = time.perf_counter(), _worked()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    seconds, worked = time.perf_counter() - begun, _worked() - before
    peak = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("peak "))
    found = Measured(n / seconds, n / worked, int(peak.split()[1]) / 1024)
    what = " ".join(str(one) for one in arguments[:2])
    print(f"  {what:26}{n:9,} documents{found}", file=sys.stderr, flush=True)
    return found


def _worked() -> float:
    """Seconds of processors that went to commands which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outside(folder: Path, n: int) -> dict[str, Measured]:
    names = ("theirs.jsonl", "theirs.neleval", "scores.jsonl", "gold.jsonl", "out.jsonl")
    theirs, rows, scores, data, out = (folder / name for name in names)
    with (
        theirs.open("w", encoding="utf-8") as said,
        rows.open("w", encoding="utf-8") as table,
        data.open("w", encoding="utf-8") as right,
    ):
        for record, gold in made_up(n):
            said.write(json.dumps(record) + "\n")
            table.writelines(as_rows(record))
            right.write(json.dumps(jsonl.record(gold)) + "\n")
    return {
        "import (ReFinED)": run(n, "scores", "import", "--from", "refined", theirs, scores, "--json"),
        "import (neleval) --data": run(
            n, "scores", "import", "--from", "neleval", rows, out, "--data", data, "--scale", "prob", "--json"
        ),
        "check --data": run(n, "scores", "check", "linking", scores, "--data", data, "--json"),
        "predict --scores": run(n, "predict", "linking", "--scores", scores, "--data", data, "--out", out, "--json"),
        "evaluate --scores": run(n, "evaluate", "linking", "--scores", scores, "--data", data, "--json"),
        "curve --scores": run(n, "curve", "linking", "--scores", scores, "--data", data, "--json"),
    }


def as_rows(record: dict[str, Any]) -> Iterator[str]:
    """The same as neleval has it: a row for each span."""
    for span in record["spans"]:
        ranked = [f"{entity.replace(' ', '_')}\t{score}\tThing" for entity, score in span["top_k_predicted_entities"]]
        yield "\t".join([record["id"], str(span["start"]), str(span["start"] + span["ln"] - 1), *ranked]) + "\n"


def ours(folder: Path, n: int, model: Path) -> dict[str, Measured]:
    texts = corpora.read(SAMPLES / "linking" / "dev.jsonl")
    data, out = folder / "texts.jsonl", folder / "ours.jsonl"
    with data.open("w", encoding="utf-8") as file:
        for number in range(n):
            one = texts[number % len(texts)]
            file.write(json.dumps({**jsonl.record(one), "id": f"{one.id}-{number}"}) + "\n")
    return {
        "predict --model (ours)": run(
            n, "predict", "linking", "--model", model, "--data", data, "--out", out, "--json"
        ),
        "curve --model (ours)": run(n, "curve", "linking", "--model", model, "--data", data, "--json"),
    }


def trained(path: Path) -> None:
    """A linker of the sample, after its first rounds."""
    task = get("linking")
    train, dev = (corpora.read(SAMPLES / "linking" / f"{split}.jsonl") for split in ("train", "dev"))
    lexicon = SAMPLES / "linking" / "lexicon"
    info = task.learner(None)
    *_, last = islice(task.rounds(train, dev, info.name, info.settings, Resources(lexicon=(lexicon,))), 5)
    save_model(task, last.model, path)


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=DOCUMENTS)
    asked = options.parse_args()
    n = QUICK if asked.quick else asked.documents
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trained(folder / "linking.zip")
        own = ours(folder, n // 10, folder / "linking.zip")
        few, all_ = outside(folder, n // 10), outside(folder, n)
    print(f"{'':26}{f'{n // 10:,} documents':>38}{f'{n:,} documents':>38}")
    kept = True
    for what in few:
        growth = all_[what].megabytes / few[what].megabytes
        kept &= growth <= LIMIT
        print(f"{what:26}  {few[what]}  {all_[what]}{growth:8.2f} x")
    for what, measured in own.items():
        print(f"{what:26}  {measured}")
    print(f"memory at most {LIMIT} times that of a tenth: {'kept' if kept else 'missed'}")
    return 0 if kept or asked.quick else 1


if __name__ == "__main__":
    sys.exit(main())
