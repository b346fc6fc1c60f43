"""How scores are told: shares as percent, counts and weights as numbers, names as they are, what gold cannot say."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.cli.options import print_report
from engine.data.document import GOLD, Document, Layer, Mention
from engine.metrics.distant import report


def test_counts_and_weights_are_no_percentages(capsys: pytest.CaptureFixture[str]) -> None:
    judged = Document("s", "x", layers={GOLD: Layer(labels=("Live_In",))}, shape="sentential")
    print_report(report([judged] * 3, [Layer(labels=("Live_In",))] * 3, beta=0.25))
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["beta", "0.25"] in told and ["rows", "3"] in told and ["f1", "100.0", "%"] in told
    assert ["Live_In"] in told, "a relation is called as the data call it"


def test_gold_without_offsets_is_said_to_tell_presence_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = [Document(f"t{i}", "Rome wins", layers={GOLD: Layer(labels=("Rome",))}) for i in range(4)]
    said = [document.with_layer(GOLD, Layer(mentions=(Mention(0, 4, entity="Rome"),))) for document in gold]
    corpora.write(gold, tmp_path / "gold.jsonl")
    corpora.write(said, tmp_path / "a.jsonl")
    corpora.write(said, tmp_path / "b.jsonl")
    systems = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    data = ["--data", str(tmp_path / "gold.jsonl")]
    assert main(["compare", "linking", *data, "--samples", "50", "--systems", *systems]) == 0
    told = capsys.readouterr()
    assert "tells ir_precision, ir_recall, ir_f1 only" in told.err
    scores = [line for line in told.out.splitlines() if line.startswith("ir_")]
    assert [line.split()[0] for line in scores] == ["ir_precision", "ir_recall", "ir_f1"]
    assert "100.0   100.0" in told.out
    assert main(["evaluate", "linking", *data, "--predictions", systems[0]]) == 0
    assert "tells ir_precision, ir_recall, ir_f1 only" in capsys.readouterr().err
