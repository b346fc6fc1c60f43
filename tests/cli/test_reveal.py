"""The gate on test data on the command line: every command that would show a score asks first and writes it down."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import corpora
from engine.cli import main as front
from engine.cli import reveal
from engine.corpora.splits import overlap, split_of
from engine.data.document import Document, Layer, Mention
from engine.settings import Settings
from engine.tasks.base import Model

SHOWS_NO_SCORE = {"predict", "scores", "convert", "pull", "bags", "lexicon", "describe", "run", "serve"}
SHOWS_NO_SCORE |= {"check", "split", "push", "backup", "restore", "doctor", "cluster", "labels", "project", "gold"}


def commands() -> dict[str, argparse.ArgumentParser]:
    actions = front.parser()._actions
    return dict(next(a for a in actions if isinstance(a, argparse._SubParsersAction)).choices)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Of a command, and of its verbs where it has some."""
    found = {text for action in parser._actions for text in action.option_strings}
    verbs = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found.union(*(options_of(verb) for action in verbs for verb in action.choices.values()))


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    mention = Mention(0, 4, entity="Rome")
    documents = [Document("a", "Rome is old.").with_layer("gold", Layer((mention,)))]
    corpora.write(documents, tmp_path / "news-test.jsonl")
    return tmp_path / "news-test.jsonl"


ASKED = {
    "train": "train linking --train T --dev T --model m.zip",
    "tune": "tune linking --train T --dev T --model m.zip --grid C=1 --learner ssvm",
    "subsample": "subsample linking --train T --dev T",
    "select-features": "select-features coreference --train T --out o.json",
    "evaluate": "evaluate linking --data T --predictions T",
    "curve": "curve linking --data T --model m.zip",
    "errors": "errors linking --data T --predictions T",
    "compare": "compare linking --data T --systems T T",
    "report": "report linking --data T --predictions T --out r.html",
    "score": "score coreference T T",
    "cross-validate": "cross-validate linking --data T --out folds",
    "experiment": "experiment linking --train T --dev T --out trials",
    "annotate": "annotate effort linking --corpus news --dev T",
}


class Terminal(io.StringIO):
    """Somebody who types an answer."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Terminal]:
    """`person("n")` sits at the terminal and answers so; what they are shown is returned."""

    def sits(answer: str) -> Terminal:
        shown = Terminal()
        monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
        monkeypatch.setattr("sys.stderr", shown)
        return shown

    return sits


@pytest.mark.parametrize("name", sorted(set(commands()) - SHOWS_NO_SCORE))
def test_every_command_that_shows_a_score_asks_before_test(
    name: str, test_file: Path, person: Callable[[str], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--reveal-test" in options_of(commands()[name]), f"{name} shows scores without asking"
    monkeypatch.chdir(test_file.parent)
    before = sorted(test_file.parent.iterdir())
    shown = person("n")
    assert front.main(ASKED[name].replace("T", test_file.name).split()) == 1
    assert "[y/N]" in shown.getvalue() and "--reveal-test" in shown.getvalue()
    assert sorted(test_file.parent.iterdir()) == before


@pytest.mark.parametrize(("answer", "option", "asked"), [("y", [], True), ("", ["--reveal-test"], False)])
def test_whoever_agrees_sees_the_scores(
    answer: str, option: list[str], asked: bool, test_file: Path, person: Callable[[str], Terminal]
) -> None:
    shown = person(answer)
    ask = ["evaluate", "linking", "--data", str(test_file), "--predictions", str(test_file), "--json", *option]
    assert front.main(ask) == 0
    assert ("[y/N]" in shown.getvalue()) is asked and "look 1 is written down" in shown.getvalue()


def test_a_look_is_written_down_beside_what_was_looked_at(test_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = test_file.with_name("answers.jsonl")
    answers.write_bytes(test_file.read_bytes())
    ask = ["evaluate", "linking", "--data", str(test_file), "--predictions", str(answers), "--json"]
    for look in (1, 2):
        assert front.main(ask) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["f1"] == 1.0 and f"look {look} is written down" in err
    lines = [json.loads(line) for line in reveal.log_of(answers).read_text(encoding="utf-8").splitlines()]
    assert [(line["command"], line["data"]) for line in lines] == [("evaluate", ["news-test.jsonl"])] * 2


def test_a_model_on_what_it_learnt_from_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = Document("a", "Rome is old.")
    model = Model("toy", "count", Settings(), None, data_hash=corpora.data_hash([document]))
    reveal.tell_learnt(model, [document])
    assert "learnt from these documents" in capsys.readouterr().err
    reveal.tell_learnt(model, [Document("b", "Paris is old.")])
    reveal.tell_learnt(None, [document])
    assert capsys.readouterr().err == ""


def test_other_files_need_no_asking(test_file: Path) -> None:
    dev = test_file.with_name("dev.jsonl")
    dev.write_bytes(test_file.read_bytes())
    assert front.main(["evaluate", "linking", "--data", str(dev), "--predictions", str(dev), "--json"]) == 0
    assert not reveal.log_of(dev).exists()


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("test.jsonl.gz", "test"),
        ("aida_testb.conll", "test"),
        ("Test2014.tsv", "test"),
        ("train-test.jsonl", "test"),
        ("testa.jsonl", "dev"),
        ("valid.json", "dev"),
        ("training_set.csv", "train"),
        ("contest.jsonl", ""),
        ("latest.jsonl", ""),
        ("test/stories.jsonl", ""),
    ],
)
def test_the_split_is_read_off_the_words_of_a_file_name(name: str, split: str) -> None:
    assert split_of(name) == split
    assert split_of(Path("somewhere") / name) == split


def test_shared_documents_are_found_by_id_and_by_text() -> None:
    train = [Document("a", "One text."), Document("b", "Another one."), Document("c", "")]
    dev = [Document("x", "one  TEXT."), Document("b", "New."), Document("y", ""), Document("z", "Different.")]
    found = overlap(dev, train)
    assert (found.by_id, found.by_text, found.of) == (1, 1, 4)
    assert found.sentence("dev", "train") == "dev shares documents with train: 1 by text and 1 by id, of 4"
    assert not overlap(dev[3:], train) and overlap(dev[3:], train).sentence("dev", "train") == ""
