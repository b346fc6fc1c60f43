"""The editor shows an edit before the server has written it down: what it shows must be what the server will have.

The same edits go through `applied` of the editor and through `engine.data.edits.apply`. The script runs in Node where
that is installed, else in Chromium.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from playwright.sync_api import BrowserContext

from engine.data import edits
from engine.data.document import FRAGMENTS, Layer, Mention, Relation
from engine.data.edits import (
    AddMention,
    AddRelation,
    Comment,
    Credit,
    DefineLabels,
    DoubtGold,
    Edit,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    Resolve,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    Settle,
    SetType,
    State,
    Together,
)
from ui import components

MODEL = Path(components.__file__).parent / "editor" / "model.js"

# The view after all edits, in a form that Python can compare: Maps and Sets as lists, the latter sorted.
_REPLAY = """([data, edits]) => {
  const view = edits.reduce(applied, viewOf(data));
  return {
    mentions: [...view.mentions.values()], relations: [...view.relations.values()], labels: view.labels,
    comments: [...view.comments].sort(), resolved: [...view.resolved].sort(), agreed: [...view.agreed].sort(),
    doubted: [...view.doubted].sort(), done: view.done,
  };
}"""

View: TypeAlias = dict[str, Any]
Replay: TypeAlias = Callable[[State, list[Edit]], View]


@pytest.fixture(scope="module")
def replay(request: pytest.FixtureRequest) -> Iterator[Replay]:
    """The editor's view of a state after edits."""
    node = shutil.which("node")
    if node is None:
        bench: BrowserContext = request.getfixturevalue("bench")
        page = bench.new_page()
        module = MODEL.read_text(encoding="utf-8") + f"\nwindow.replay = {_REPLAY};\n"
        run = "js => import(URL.createObjectURL(new Blob([js], { type: 'text/javascript' }))).then(() => undefined)"
        page.evaluate(run, module)
        yield lambda state, several: page.evaluate("told => window.replay(told)", _told(state, several))
        page.close()
        return
    program = (
        f"import {{ applied, viewOf }} from {json.dumps(MODEL.as_uri())};\n"
        f"import {{ createInterface }} from 'node:readline';\nconst replay = {_REPLAY};\n"
        "for await (const line of createInterface({ input: process.stdin })) {\n"
        "  console.log(JSON.stringify(replay(JSON.parse(line))));\n}\n"
    )
    process = subprocess.Popen(
        [node, "--input-type=module", "-e", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    ask, answers = process.stdin, process.stdout

    def in_node(state: State, several: list[Edit]) -> View:
        print(json.dumps(_told(state, several)), file=ask, flush=True)
        found: View = json.loads(answers.readline())
        return found

    yield in_node
    ask.close()
    assert process.wait(timeout=20) == 0


def _told(state: State, several: list[Edit]) -> list[Any]:
    return [_data(state), [edits.to_json(one) for one in several]]


def _data(state: State) -> dict[str, Any]:
    """What the page is given of a state; ui/views/annotate/desk.py writes the same fields."""
    view = _view(state)
    return {
        **view,
        "mentions": [{**m, "doubted": m["id"] in state.doubted} for m in view["mentions"]],
        "fixed": sorted(state.arguments),
    }


def _view(state: State) -> View:
    return {
        "mentions": [
            {
                "id": id,
                "start": m.start,
                "end": m.end,
                "type": m.type,
                "entity": m.entity,
                "cluster": state.clusters.get(id),
                "pieces": m.extra.get(FRAGMENTS, []),
            }
            for id, m in state.mentions.items()
        ],
        "relations": [{"id": id, "head": r.head, "tail": r.tail, "type": r.type} for id, r in state.relations.items()],
        "labels": list(state.labels),
        "comments": [[target, [asdict(one) for one in thread]] for target, thread in sorted(state.comments.items())],
        "resolved": sorted(state.resolved),
        "agreed": [[target, list(by)] for target, by in sorted(state.agreed.items())],
        "doubted": sorted(state.doubted),
        "done": state.done,
    }


LAYER = Layer(
    (Mention(0, 3, "PER"), Mention(4, 9, "LOC", "Oslo"), Mention(4, 12)),
    clusters=((0, 2),),
    relations=(Relation(0, 1, "lives in"), Relation(1, 1, "same")),
    labels=("news", "sport"),
)
START = State.of(LAYER)
ASKED = State(**{**vars(START), "arguments": frozenset({"g0", "g1"})})

# Few names, so that edits meet: of what is there, of what was taken away, and of the other kind.
mentions = some.sampled_from(["g0", "g1", "g2", "n1-1", "n1-2"])
relations = some.sampled_from(["r0", "r1", "n1-3", "g0"])
names = some.sampled_from(["PER", "LOC", "", "größer 👩🏽‍🚀"])
maybe = some.none() | names
spans = some.tuples(some.integers(0, 5), some.integers(1, 4)).map(lambda one: (one[0], sum(one)))
targets = mentions | relations | some.sampled_from(["", "label news", "place 1 2"])
labels = some.sampled_from(["news", "sport", "weather"])
people = some.sampled_from([(), ("anna",), ("anna", "bob")])
cuts = some.integers(1, 4)
chains = some.none() | some.sampled_from(["c0", "c1"])

single: some.SearchStrategy[Edit] = some.one_of(
    some.builds(lambda id, span, *said: AddMention(id, *span, *said), mentions, spans, maybe, maybe, chains),
    some.builds(lambda id, span: AddMention(id, *span), mentions, spans),
    some.builds(RemoveMention, mentions),
    some.builds(lambda id, span: SetSpan(id, *span), mentions, spans),
    some.just(SetSpan("g0", 0, 3)),
    some.builds(SetType, mentions | relations, maybe),
    some.builds(SetEntity, mentions, maybe),
    some.builds(SetCluster, mentions, chains),
    some.builds(AddRelation, relations, mentions, mentions, names),
    some.builds(RemoveRelation, relations),
    some.builds(SetRelationType, relations, names),
    some.builds(SetLabel, labels, some.booleans()),
    some.builds(Comment, targets, names),
    some.builds(Comment, targets, names, some.sampled_from(["n1-4", "n1-5"]), some.just("anna"), some.just("2026")),
    some.builds(Resolve, targets, some.booleans()),
    some.builds(Settle, names, people),
    some.builds(Credit, targets, people),
    some.builds(lambda id, span, at: SetSpan(id, *span, ((span[0], at), (at + 1, span[1]))), mentions, spans, cuts),
    some.builds(lambda id, span, at: AddMention(id, *span, pieces=((span[0], at), (at, 9))), mentions, spans, cuts),
    some.builds(DoubtGold, targets, some.booleans()),
    some.builds(lambda what, span, value: Reject(what, *span, value), names, spans, names),
    some.builds(MarkDone, some.booleans()),
    some.builds(DefineLabels, some.just({"types": []})),
)


def as_one(inner: some.SearchStrategy[Edit]) -> some.SearchStrategy[Edit]:
    return some.builds(lambda found: Together(tuple(found)), some.lists(inner, max_size=3))


several = some.one_of(single, single, as_one(single), as_one(single | as_one(single)))


# Many: the rules meet each other only in sequences.
@settings(max_examples=200)
@given(start=some.sampled_from([START, ASKED]), sequence=some.lists(several, min_size=3, max_size=12))
@example(START, [Comment("g0", "why?"), RemoveMention("g0"), AddMention("g0", 1, 2)])
@example(START, [Together((RemoveMention("g0"), SetType("g0", "LOC")))])
@example(START, [SetType("r0", "LOC"), SetRelationType("g0", "PER")])
@example(START, [RemoveMention("g1")])
@example(START, [Credit("g1", ("anna",)), Credit("r0", ("bob",)), RemoveMention("g1"), RemoveRelation("r1")])
@example(START, [AddRelation("n1-3", "g0", "g1", "lives in"), SetRelationType("r1", "lives in")])
@example(START, [AddRelation("n1-3", "g0", "g1", "PER"), SetRelationType("n1-3", "lives in")])
@example(ASKED, [RemoveMention("g0"), SetSpan("g1", 0, 1), Together((SetSpan("g0", 0, 3), SetType("g0", "LOC")))])
def test_the_editor_shows_what_the_server_will_have(replay: Replay, start: State, sequence: list[Edit]) -> None:
    assert replay(start, sequence) == _view(edits.replay(start, sequence))


def test_every_kind_of_edit_is_drawn() -> None:
    """An edit that is new in the engine has to come into this test, and into the editor."""
    source, rules = Path(__file__).read_text(encoding="utf-8"), MODEL.read_text(encoding="utf-8")
    for kind in (one.__name__ for one in get_args(Edit)):
        assert f"builds({kind}," in source or f": {kind}(" in source, kind
        assert f"\n  {kind}(" in rules or f"\n  {kind}:" in rules, kind
