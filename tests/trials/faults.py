"""Kills at random moments, and a disk that is full: what was acknowledged must be there afterwards.

python -m tests.trials.faults [--annotating 50] [--training 10] [--uploading 10] [--on sqlite postgres]  # `make faults`

A child does the work and writes a line for everything that was acknowledged; it is killed (SIGKILL) at a random moment,
and what the workspace holds is compared with its lines. On PostgreSQL, of which a server of our own is started, the
database itself is killed as well, while the child goes on by itself as soon as it is back.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final
from unittest import mock

import sqlalchemy as sa

from engine.corpora import read
from engine.data.document import Document, Layer, Mention
from engine.data.edits import SetEntity
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.tasks.registry import get
from tests import postgres
from ui.background import jobs

SAMPLES: Final = Path(__file__).resolve().parents[2] / "sample_data"
TEXT: Final = Document("d", "Ada met Charles.").with_layer("gold", Layer((Mention(0, 3, entity="Ada"),)))


def _annotate(workspace: Workspace, corpus: str) -> Iterator[str]:
    log = workspace.annotations(corpus)
    number = log.version(TEXT.id)
    while True:
        number = log.append(TEXT, SetEntity("g0", f"E{number}"), user="anna")
        yield str(number)


def _upload(workspace: Workspace, corpus: str) -> Iterator[str]:
    while True:
        documents = [Document(str(i), "Some text of no great length. " * 20) for i in range(200)]
        yield workspace.add_corpus("upload", documents)


def _persist(workspace: Workspace, corpus: str) -> Iterator[str]:
    """Annotates on where the database is lost; the token keeps an edit whose answer was lost from being made twice."""
    log = workspace.annotations(corpus)
    made = 0
    while True:
        try:
            log.append(TEXT, SetEntity("g0", f"E{made}"), user="anna", token=f"{os.getpid()}:{made}")
        except sa.exc.OperationalError:
            time.sleep(0.02)
            continue
        yield f"{os.getpid()}:{made}"
        made += 1


CHILDREN: Final = {"annotating": _annotate, "uploading": _upload, "persisting": _persist}
"""Kind of work -> what the child does without end, giving a word for each thing that was acknowledged."""
AT_MOST: Final = {"annotating": 80, "uploading": 3}
"""Kind of work -> how many things are acknowledged at most before the kill is sent."""


def _child(kind: str, directory: Path, url: str, corpus: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.trials.faults", "--child", kind, str(directory), url, corpus]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_at_random(kind: str, directory: Path, url: str, corpus: str, rng: random.Random) -> list[str]:
    """What a child acknowledged before it was killed; at least one thing.

    The kill comes after a number of things that is drawn, not after a time: a busy machine does as much as an idle one.
    """
    process = _child(kind, directory, url, corpus)
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(rng.randint(1, AT_MOST[kind]))]
    assert all(told), "the child ended by itself"
    time.sleep(rng.uniform(0, 0.05))  # somewhere within the next one
    process.send_signal(signal.SIGKILL)
    # The last line may be cut; what was not written whole was not acknowledged.
    told += [line.strip() for line in process.stdout if line.endswith("\n")]
    process.wait()
    return told


def annotating(directory: Path, url: str, kills: int, rng: random.Random) -> tuple[int, int]:
    """(edits acknowledged, edits lost) over so many kills."""
    with _open(directory, url) as workspace:
        corpus = workspace.add_corpus("faults", [TEXT])
    acknowledged = lost = 0
    for _ in range(kills):
        told = kill_at_random("annotating", directory, url, corpus, rng)
        with _open(directory, url) as workspace:
            numbers = [row.number for row in workspace.annotations(corpus).history(TEXT.id)]
        # PostgreSQL does not give a number again that it gave to an edit which was never committed.
        assert numbers == sorted(set(numbers)), "the log is out of order"
        acknowledged += len(told)
        lost += len({int(number) for number in told} - set(numbers))
    return acknowledged, lost


def losing_the_database(
    directory: Path, server: postgres.PostgreSQL, kills: int, rng: random.Random
) -> tuple[int, int]:
    """(edits acknowledged, edits lost) while PostgreSQL itself is killed and started again so many times."""
    url = server.new_database()
    with _open(directory, url) as workspace:
        corpus = workspace.add_corpus("faults", [TEXT])
    process = _child("persisting", directory, url, corpus)
    assert process.stdout is not None
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.extend(line.strip() for line in process.stdout if line[-1:] == "\n"))
    reader.start()
    try:
        for _ in range(kills):
            _wait_for_more(told)  # it goes on by itself
            time.sleep(rng.uniform(0, 0.3))
            server.kill()
            server.start()
        _wait_for_more(told)
    finally:
        process.kill()
        process.wait()
        reader.join()
    with _open(directory, url) as workspace:
        tokens = [row.token for row in workspace.annotations(corpus).history(TEXT.id)]
    assert len(tokens) == len(set(tokens)), "an edit was made twice"
    return len(told), len(set(told) - set(tokens))


def uploading(directory: Path, url: str, kills: int, rng: random.Random) -> tuple[int, int]:
    """(corpora acknowledged, corpora lost or half there) over so many kills."""
    acknowledged = lost = 0
    for _ in range(kills):
        told = kill_at_random("uploading", directory, url, "", rng)
        with _open(directory, url) as workspace:
            whole = {info.id for info in workspace.corpora() if len(workspace.documents(info.id)) == info.n_documents}
            half = {info.id for info in workspace.corpora()} - whole
            acknowledged += len(told)
            lost += len(set(told) - whole) + len(half)
            for id in whole:
                workspace.remove_corpus(id)
    return acknowledged, lost


def training(directory: Path, url: str, kills: int, rng: random.Random) -> tuple[int, int]:
    """(rounds written before a kill, rounds that were gone or done again after resuming) over so many kills."""
    settings = replace(get("coreference").learner("baseline").settings, n_rounds=12)
    written = lost = 0
    with _open(directory, url) as workspace:
        train = workspace.add_corpus("train", read(SAMPLES / "coreference" / "train.conll")[:6])
        for _ in range(kills):
            run = jobs.start(workspace, "coreference", "baseline", asdict(settings), train=[train], dev=[])
            _wait(lambda run=run: len(workspace.rounds(run)) >= 2 or not jobs.is_alive(workspace, run))
            time.sleep(rng.uniform(0, 0.2))
            if jobs.is_alive(workspace, run):
                os.kill(int(jobs.lock_path(workspace.directory, run).read_text()), signal.SIGKILL)
            _wait(lambda run=run: not jobs.is_alive(workspace, run))
            before = {one.index: one.objective for one in workspace.rounds(run)}
            written += len(before)
            if jobs.state(workspace, run).run.status != "done":
                jobs.resume(workspace, run)
                _wait(lambda run=run: not jobs.is_alive(workspace, run))
            after = {one.index: one.objective for one in workspace.rounds(run)}
            lost += sum(after.get(index) != objective for index, objective in before.items())
            lost += len(after) != settings.n_rounds
    return written, lost


def full(directory: Path) -> str:
    """An SQLite database that may not grow: an edit is refused and says so, and goes through once there is room."""
    url = _sqlite(directory)
    with _open(directory, url) as workspace:
        corpus = workspace.add_corpus("full", [TEXT])
        log = workspace.annotations(corpus)
        with workspace._engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        limit: list[int] = [int(pages)]
        sa.event.listen(workspace._engine, "begin", lambda c: c.exec_driver_sql(f"PRAGMA max_page_count = {limit[0]}"))
        written = refused = 0
        for _ in range(500):
            try:
                log.append(TEXT, SetEntity("g0", "E" * 500), user="anna")
                written += 1
            except (InputError, sa.exc.OperationalError) as error:
                refused += 1
                assert "full" in str(error), error
                limit[0] += 50
        assert log.version(TEXT.id) == written and refused, "an edit that was refused was written, or none was refused"
    return f"{written} edits written, {refused} refused while the disk was full, none lost"


@contextmanager
def _open(directory: Path, url: str) -> Iterator[Workspace]:
    workspace = Workspace.open(directory, url)
    try:
        yield workspace
    finally:
        workspace.close()


def _sqlite(directory: Path) -> str:
    return f"sqlite:///{directory}/espalier.db"


def _wait(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 900
    while not happened():
        assert time.monotonic() < until, "nothing happened for a quarter of an hour"
        threading.Event().wait(0.01)


Result = tuple[str, int, int, int]
"""(what was done, kills, acknowledged, lost)"""


def _wait_for_more(told: list[str]) -> None:
    before = len(told)
    _wait(lambda: len(told) > before)


def run(kills: Mapping[str, int], seed: int, server: postgres.PostgreSQL | None = None) -> Iterator[Result]:
    """Each trial in a workspace of its own, on SQLite or on this server."""
    rng = random.Random(seed)
    for kind, trial in (("annotating", annotating), ("training", training), ("uploading", uploading)):
        with tempfile.TemporaryDirectory() as place:
            url = server.new_database() if server else _sqlite(Path(place))
            # A training opens the workspace as the server does. Whoever comes later must not meet this database.
            with mock.patch.dict(os.environ, {"ESPALIER_DATABASE_URL": url}):
                done = trial(Path(place), url, kills[kind], rng)
            yield kind, kills[kind], *done
    if server and kills["database"]:
        with tempfile.TemporaryDirectory() as place:
            done = losing_the_database(Path(place), server, kills["database"], rng)
            yield "annotating while the database is killed", kills["database"], *done


def _reported(name: str, results: Iterable[Result]) -> int:
    """Print each result as it comes; how much was lost."""
    sum_lost = 0
    for kind, kills, done, lost in results:
        print(f"{name}, {kind}: {kills} kills, {done} acknowledged, {lost} lost", flush=True)
        sum_lost += lost
    return sum_lost


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotating", type=int, default=50, metavar="KILLS")
    parser.add_argument("--training", type=int, default=10, metavar="KILLS")
    parser.add_argument("--uploading", type=int, default=10, metavar="KILLS")
    parser.add_argument("--database", type=int, default=10, metavar="KILLS", help="kills of PostgreSQL itself")
    parser.add_argument("--on", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=4, metavar=("KIND", "DIRECTORY", "URL", "CORPUS"), help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.child:
        kind, directory, url, corpus = args.child
        for word in CHILDREN[kind](Workspace.open(Path(directory), url), corpus):
            print(word, flush=True)
    kills = {kind: getattr(args, kind) for kind in ("annotating", "training", "uploading", "database")}
    lost = 0
    if "sqlite" in args.on:
        lost += _reported("SQLite", run(kills, args.seed))
        with tempfile.TemporaryDirectory() as place:
            print(f"SQLite, disk full: {full(Path(place))}", flush=True)
    if "postgres" in args.on:
        with tempfile.TemporaryDirectory() as place, postgres.running(Path(place)) as server:
            lost += _reported("PostgreSQL", run(kills, args.seed, server))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
