"""The entry point of the command line: one parser, one module per command, and the exit codes.

0 done, 1 wrong use or bad input (one line on stderr: file, line, what), 2 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from engine import first_use
from engine.data.errors import InputError
from engine.workers.base import WorkersFailed

COMMANDS: Final = (
    "models.train",
    "results.predict",
    "results.evaluate",
    "results.curve",
    "models.tune",
    "results.errors",
    "results.compare",
    "results.report",
    "results.score",
    "corpora.convert",
    "corpora.check",
    "corpora.split",
    "corpora.pull",
    "corpora.bags",
    "corpora.scores",
    "annotation.labels",
    "annotation.project",
    "annotation.gold",
    "annotation.annotate",
    "models.subsample",
    "models.experiment",
    "models.cross_validate",
    "corpora.lexicon",
    "models.select_features",
    "models.describe",
    "app.run",
    "app.serve",
    "app.cluster",
    "app.backup",
    "app.doctor",
)
"""The module of each command, by topic, in the order of the help."""

DONE, BAD_INPUT, INTERRUPTED = 0, 1, 2


class Parser(argparse.ArgumentParser):
    """argparse with our exit code, one-line errors on stderr, and no abbreviations, which a later option could
    break."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands; if `wanted` has a module of the same name, only of that one, because importing thirty
    modules takes longer than most of them run."""
    top = Parser(
        prog=name_of(sys.argv[0]),
        description="Espalier: train, inspect, tune and compare structured extraction systems.",
        epilog="Each command has its own --help with examples.",
        allow_abbrev=False,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    own = [name for name in COMMANDS if name.rpartition(".")[2].replace("_", "-") == wanted]
    for name in own or COMMANDS:
        import_module(f"engine.cli.{name}").add(commands)
    return top


def name_of(program: str) -> str:
    """The command to call this program, for usage lines and messages."""
    return "espalier" if Path(program).name.startswith("espalier") else "python -m engine"


def main(argv: Sequence[str] | None = None) -> int:
    stopped = _interruptions()
    if sys.stderr.isatty():
        first_use.when_compiling(_tell_compiling)
    words = list(sys.argv[1:] if argv is None else argv)
    args = parser(words[0] if words else None).parse_args(words)
    try:
        return int(args.run(args))
    except (InputError, WorkersFailed) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed the pipe.
        sys.stderr.close()
        return DONE
    except OSError as error:
        print(f"{error.filename or 'file system'}: {error.strerror or error}", file=sys.stderr)
        return BAD_INPUT
    except Exception:
        # Inside the compiler of kernels an interruption is lost, and what follows is a fault of the unfinished kernel.
        if not stopped:
            raise
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    finally:
        # What `blocks.settle` set aside is garbage like any other once the command has ended.
        gc.unfreeze()


def _interruptions() -> list[int]:
    """The signals that have asked this process to stop. SIGTERM is treated like Ctrl-C, so that finished work is kept;
    a process that ignores Ctrl-C, as shells make background jobs do, still ignores it."""
    met: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        met.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    return met


def _tell_compiling() -> None:
    # Imported here: it is rarely needed. A progress bar may be on screen, which this does not break.
    from tqdm import tqdm

    tqdm.write("compiling code for its first use; this happens once and takes up to 20 seconds", file=sys.stderr)
