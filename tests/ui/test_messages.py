"""Messages of components: each is acted on once and in order, however often it is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ui.shell import sidebar
from ui.tab import messages, session


def message(client: Any, seq: Any, action: str = "select", **more: Any) -> dict[str, Any]:
    return {"client": client, "seq": seq, "action": action, **more}


@given(
    clients=some.lists(some.sampled_from("ab"), min_size=1, max_size=12),
    tellings=some.lists(some.tuples(some.integers(0, 12), some.integers(0, 12), some.integers(0, 12)), max_size=12),
)
def test_whatever_is_told_again_and_whatever_fails_every_message_is_acted_on_once(
    clients: list[str], tellings: list[tuple[int, int, int]]
) -> None:
    """A page tells from some message on up to another; the server may fail at any of them; in the end all is told."""
    everything = [message(client, seq) for seq, client in enumerate(clients, 1)]
    ack: dict[str, int] = {}
    done: list[int] = []
    for known, until, fails_after in [*tellings, (0, len(everything), 99)]:
        # The page leaves out only what it knows to be done.
        queue = [one for one in everything[:until] if one["seq"] > min(known, ack.get(one["client"], 0))]
        for n, one in enumerate(messages.unheard(queue, ack)):
            if n == fails_after:
                break
            done.append(one["seq"])
    assert sorted(done) == list(range(1, len(everything) + 1))
    for client in "ab":
        mine = [seq for seq in done if clients[seq - 1] == client]
        assert mine == sorted(mine)


def test_a_message_whose_handler_fails_is_told_again() -> None:
    ack: dict[str, int] = {}
    for one in messages.unheard([message("a", 1), message("a", 2)], ack):
        if one["seq"] == 2:
            break
    assert ack == {"a": 1}
    assert [one["seq"] for one in messages.unheard([message("a", 1), message("a", 2)], ack)] == [2]
    assert ack == {"a": 2}


@pytest.mark.parametrize(
    "wrong",
    [None, 7, "text", [], {}, {"client": "a", "seq": 1}, message("a", "1"), message(3, 1)],
)
def test_what_is_no_message_is_left_out(wrong: Any) -> None:
    ack: dict[str, int] = {}
    assert list(messages.unheard([wrong, message("a", 1)], ack)) == [message("a", 1)] and ack == {"a": 1}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session of its own: what is kept in it."""
    memory: dict[str, Any] = {}
    monkeypatch.setattr(session, "value", lambda key, default=None: memory.get(key, default))
    monkeypatch.setattr(session, "keep", memory.__setitem__)
    monkeypatch.setattr(session, "component", lambda key, state: memory.get(f"{key} {state}"))
    return memory


def test_a_component_hears_what_was_acted_on_and_each_component_only_of_its_own(kept: dict[str, Any]) -> None:
    heard: list[str] = []
    hear = messages.each(select=lambda one: heard.append(one["id"]), pin=lambda one: heard.append("pin " + one["id"]))
    before = messages.answer("a")
    assert before["ack"] == {} and messages.answer("b")["session"] == before["session"]
    hear(messages.new("a"))  # nothing was told yet
    queue = [message("n1-", 1, id="x"), message("n1-", 2, "pin", id="y"), message("n1-", 3, "dance", id="z")]
    kept["a messages"] = {"submission": 1, "queue": queue}
    hear(messages.new("a"))
    hear(messages.new("a"))
    assert heard == ["x", "pin y"]
    after = messages.answer("a")
    assert after == {"session": before["session"], "ack": {"n1-": 3}} and messages.answer("b")["ack"] == {}
    kept["a messages"] = {"submission": 2, "queue": [message("n1-", 4, id="w")]}
    hear(messages.new("a"))
    assert heard[-1] == "w" and after["ack"] == {"n1-": 3}, "what the page was told does not change afterwards"


def test_selecting_tells_what_is_selected_and_that_nothing_is(kept: dict[str, Any]) -> None:
    heard: list[str | None] = []
    kept["a messages"] = {"submission": 1, "queue": [message("n", 1, id="x"), message("n", 2, id=None)]}
    messages.selecting(heard.append)(messages.new("a"))
    assert heard == ["x", None]


def test_a_step_that_the_next_key_press_interrupts_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit ends a running callback when something new arrives, wherever it stands."""
    gone: list[int] = []

    def go(rank: int) -> None:
        gone.append(rank)
        if len(gone) == 2:
            raise InterruptedError

    monkeypatch.setattr(sidebar, "_go", go)
    monkeypatch.setattr(session, "remembered", lambda name: [])
    acknowledged: dict[str, int] = {}
    queue = [message("n1-", 1, "step", to=5), message("n1-", 2, "step", to=6)]
    with pytest.raises(InterruptedError):
        sidebar._on_steps(messages.unheard(queue, acknowledged))
    assert acknowledged == {"n1-": 1}
    sidebar._on_steps(messages.unheard(queue, acknowledged))
    assert gone == [5, 6, 6] and acknowledged == {"n1-": 2}
