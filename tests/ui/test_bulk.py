"""Marking by rule on the Bulk tab, and the learning curve of annotation on Versions and scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.data.edits import MarkDone
from engine.store.workspace import Workspace
from engine.workbench.team.effort import finished
from tests.ui import harness
from ui.views.annotate import rules
from ui.views.annotate.efforts import effort_rows


def opened(corpus: str, **kept: Any) -> Any:
    at = harness.open_page("annotate", corpus=corpus, user="anna")
    at.session_state["annotate.part"] = "Bulk"
    at.session_state["bulk.view"] = "mark by rule"
    for key, value in kept.items():
        at.session_state[f"bulk.{key}"] = value
    return at.run()


def test_the_same_words_are_shown_first_and_marked_as_one_action(workspace: Workspace) -> None:
    corpus, _ = harness.add_samples(workspace)
    log = workspace.annotations(corpus)
    log.append(workspace.documents(corpus)[0], MarkDone(), user="anna")
    at = opened(corpus, words="wrote", type="ACT", entity="Writing")
    assert not at.exception
    assert "5 places in 5 documents; 0 skipped" in harness.words_on(at), "the one that is done is left alone"
    assert len(log.history()) == 1, "looking writes nothing"
    at.button(key="bulk.mark").click().run()
    assert "Marked: 5 places." in harness.words_on(at)
    rows = log.history()[1:]
    assert len(rows) == 5 and len({row.batch for row in rows}) == 1
    made = [m for d in workspace.gold_documents(corpus) for m in d.gold.mentions if m.type == "ACT"]
    assert [m.entity for m in made] == ["Writing"] * 5
    log.undo(user="anna")
    assert not [m for d in workspace.gold_documents(corpus) for m in d.gold.mentions if m.type == "ACT"]


def test_an_expression_that_is_none_is_told_and_nothing_is_marked(workspace: Workspace) -> None:
    corpus, _ = harness.add_samples(workspace)
    at = opened(corpus, how="a regular expression", pattern="(")
    assert not at.exception and "this is not a regular expression" in harness.words_on(at)
    assert not workspace.annotations(corpus).history()


def test_a_mention_of_the_editor_fills_in_the_form(workspace: Workspace) -> None:
    corpus, _ = harness.add_samples(workspace)
    at = opened(corpus)
    kept: dict[str, Any] = {}
    rules.session.keep, keep = kept.__setitem__, rules.session.keep  # what the page would keep
    try:
        rules.like({"text": "She", "type": "PER", "entity": None})
    finally:
        rules.session.keep = keep
    for key, value in kept.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception and "0 places in 0 documents; 6 skipped" in harness.words_on(at)


def test_the_curve_of_effort_counts_what_was_done_when_a_run_learnt(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    log, documents = workspace.annotations(train), workspace.documents(train)
    for document in documents[:3]:
        log.append(document, MarkDone(), user="anna")
    harness.open_page("annotate", corpus=train)
    run = workspace.run(harness.trained(workspace, train, dev))
    # Written so quickly, edits may have the same time.
    done = [replace(one, time=f"2020-01-0{day}T00:00:00+00:00") for day, one in enumerate(finished(log, documents), 1)]
    between = replace(run, id="early", created=done[1].time)
    late = replace(run, id="late", created="2999-01-01T00:00:00+00:00")
    rows = effort_rows([(late, True), (between, True), (late, False)], done, len(documents))
    assert [(row["documents"], row["run"]) for row in rows] == [(2, "early"), (3, "late"), (len(documents), "late")]
