"""What the editor's page is sent: only what changed, and everything where that is not known to be enough."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ui.components.editor.sent import KEPT, Sent, difference

Data = dict[str, Any]

_items = st.lists(st.fixed_dictionaries({"id": st.integers(0, 6), "type": st.sampled_from("AB")}), max_size=7)
_unique = _items.map(lambda items: list({one["id"]: one for one in items}.values()))
_data = st.fixed_dictionaries(
    {"text": st.sampled_from(["", "one", "two"]), "mentions": st.one_of(_unique, _items)},
    optional={"relations": _unique, "place": st.none() | st.just([1, 2])},
)


def put_together(base: Data, sent: Data) -> Data:
    """As received.js does it, the obvious way."""
    found = {**base, **sent["fields"]}
    for name, change in sent["lists"].items():
        items = [one for one in base[name] if one["id"] not in change["gone"]]
        for place, one in change["put"]:
            items.insert(place, one)
        found[name] = items
    return {name: value for name, value in found.items() if name not in sent["missing"]}


@given(_data, _data)
def test_a_difference_leads_from_the_old_data_to_the_new(old: Data, new: Data) -> None:
    assert put_together(old, difference(old, new)) == new


@given(st.lists(st.tuples(_data, st.integers(0, 8)), min_size=1, max_size=12))
def test_a_page_has_all_data_whichever_it_held(steps: list[tuple[Data, int]]) -> None:
    sent, held = Sent("s"), dict[str, Data]()
    for data, back in steps:
        stamps = [None, *held][-1 - back :]
        answer = sent.next(copy.deepcopy(data), stamps[0])
        base = answer["over"]
        whole = {name: value for name, value in answer.items() if name not in ("stamp", "over")}
        held[answer["stamp"]] = put_together(held[base], answer) if base is not None else whole
        assert held[answer["stamp"]] == data


def test_one_mention_more_is_all_that_is_sent() -> None:
    mentions = [{"id": f"m{i}", "start": i} for i in range(1000)]
    base = {"text": "x" * 50_000, "mentions": mentions, "version": 1}
    sent = Sent("s")
    first = sent.next(base, None)
    assert first["over"] is None and first["text"] == base["text"]
    new = {"id": "new", "start": 500}
    answer = sent.next({**base, "mentions": [*mentions[:500], new, *mentions[500:]], "version": 2}, first["stamp"])
    assert answer["lists"] == {"mentions": {"gone": [], "put": [[500, new]]}} and answer["fields"] == {"version": 2}
    assert len(json.dumps(answer)) < 300


def test_a_page_that_holds_what_nobody_knows_is_sent_everything() -> None:
    sent, other = Sent("s"), Sent("t")
    first = sent.next({"text": "a"}, None)
    for holds in (other.next({"text": "a"}, None)["stamp"], None, 3, {"stamp": first["stamp"]}):
        assert sent.next({"text": "b"}, holds)["over"] is None
    for _ in range(KEPT):
        sent.next({"text": "c"}, None)
    assert sent.next({"text": "d"}, first["stamp"])["over"] is None
