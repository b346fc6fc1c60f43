"""The learning curve of annotation: documents in the order in which they were done, a model for every size."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.data.edits import MarkDone, SetType
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.tasks.base import Resources
from engine.workbench.team.effort import Point, effort, finished, sizes
from tests.ui import harness
from tests.ui.toy import Toy, ToySettings


def test_sizes_double_up_to_all() -> None:
    assert (sizes(0), sizes(1), sizes(10, 4)) == ([], [1], [1, 2, 5, 10])


def test_documents_come_in_the_order_in_which_they_were_last_done(tmp_path: Path) -> None:
    space = Workspace.open(tmp_path)
    documents = harness.sample_documents(4)
    log = space.annotations(space.add_corpus("c", documents))
    log.append(documents[2], MarkDone(), user="anna")
    log.append(documents[0], SetType("g0", "ORG"), user="anna")
    log.append(documents[0], MarkDone(), user="anna")
    log.append(documents[1], MarkDone(), user="anna")
    log.append(documents[1], MarkDone(False), user="anna")
    log.append(documents[3], MarkDone(), user="anna")
    log.undo(user="anna")
    found = finished(log, documents)
    assert [one.document.id for one in found] == [documents[2].id, documents[0].id]
    assert found[1].document.gold.mentions[0].type == "ORG", "learnt from as edited"
    assert all(one.seconds > 0 for one in found)


def test_every_point_learns_from_the_first_so_many_and_is_judged_on_the_same(tmp_path: Path) -> None:
    space = Workspace.open(tmp_path)
    documents, dev = harness.sample_documents(5), harness.sample_documents(2)
    log = space.annotations(space.add_corpus("c", documents))
    for document in documents:
        log.append(document, MarkDone(), user="anna")
    done, toy = finished(log, documents), Toy()
    points = list(effort(toy, "count", ToySettings(), done, dev, Resources(), 3))
    assert [point.documents for point in points] == [1, 2, 5]
    whole = list(effort(toy, "count", ToySettings(), done, dev, Resources(), 1))
    assert isinstance(whole[0], Point) and whole[0] == points[-1]
    with pytest.raises(InputError, match="no document is marked as done"):
        next(effort(toy, "count", ToySettings(), [], dev, Resources()))
