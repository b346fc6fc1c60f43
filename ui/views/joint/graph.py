"""The graph of the Joint page: nodes and arrows of a trace, decided alone and together, for every position of the
knob."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from engine.data.pins import Pin, RelationPin, TypePin
from engine.tasks.joint.constraints.together import Violation
from engine.tasks.joint.trace import NEAR, JointTrace
from ui.components.graph import Arrow, Node
from ui.components.text import Interval


def nodes(trace: JointTrace, pins: Sequence[Pin]) -> list[Node]:
    pinned = {pin.span for pin in pins if isinstance(pin, TypePin)}
    broken = _by_node(trace.before_violations)
    return [
        Node(
            key=f"n{i}",
            surface=trace.surfaces[i],
            before=trace.space.types[trace.before_types[i]],
            after=_types(trace, i, bool(pins)),
            gold=trace.space.types[trace.gold_types[i]] if trace.gold_types[i] >= 0 else None,
            violations=broken.get(i, ()) if not any(v.pairs for v in trace.before_violations if i in v.nodes) else (),
            pinned=trace.spans[i] in pinned,
        )
        for i in range(len(trace.spans))
    ]


def before(trace: JointTrace) -> list[Arrow]:
    """Each classifier's best relation of every pair, with the biases at which it beats none, and what it breaks."""
    return [_arrow(trace, one.pair, one.label, ((None, one.until),), one.breaks) for one in trace.strongest]


def after(trace: JointTrace, pins: Sequence[Pin]) -> list[Arrow]:
    """Every relation that is decided at some bias near the current one, and gold relations that never are."""
    pinned = {(pin.head, pin.tail) for pin in pins if isinstance(pin, RelationPin)}
    broken = _by_pair(trace.after_violations)
    out = []
    for p, (i, j) in enumerate(trace.pairs):
        for label, on in _labels(trace, p, bool(pins)).items():
            if not any(_near(interval, trace.bias) for interval in on):
                continue
            names = broken.get(p, ()) if trace.after_labels[p] == label else ()
            arrow = _arrow(trace, p, label, on, names)
            is_pinned = (trace.spans[i], trace.spans[j]) in pinned
            out.append(arrow if not is_pinned else replace(arrow, pinned=True))
    for p in map(int, np.flatnonzero(trace.gold_labels > 0)):
        off = _complement(_labels(trace, p, bool(pins)).get(int(trace.gold_labels[p]), ()))
        if trace.has_gold and off:
            out.append(replace(_arrow(trace, p, int(trace.gold_labels[p]), off, ()), missed=True))
    return out


def _arrow(trace: JointTrace, p: int, label: int, on: tuple[Interval, ...], broken: tuple[str, ...]) -> Arrow:
    head, tail = trace.pairs[p]
    return Arrow(
        key=f"p{p}",
        head=head,
        tail=tail,
        label=trace.space.labels[label],
        on=on,
        gold=bool(trace.gold_labels[p] == label) if trace.has_gold else None,
        violations=broken,
        weight=float(np.exp(trace.label_scores[p, label])),
    )


def _steps(trace: JointTrace) -> list[tuple[float | None, float | None, int]]:
    """[low, high) and index of every step of the path."""
    assert trace.path is not None
    biases = [float(b) for b in trace.path.bias]
    lows = [None if math.isinf(b) else b for b in biases]
    return [(low, lows[k + 1] if k + 1 < len(lows) else None, k) for k, low in enumerate(lows)]


def _labels(trace: JointTrace, p: int, pinned: bool) -> dict[int, tuple[Interval, ...]]:
    """Label -> the bias intervals in which it is decided. Under pins only the current decision is known."""
    if trace.path is None or pinned:
        label = int(trace.after_labels[p])
        return {label: ((None, None),)} if label else {}
    found: dict[int, list[Interval]] = {}
    for low, high, k in _steps(trace):
        label = int(trace.path.labels[k][p])
        if label:
            known = found.setdefault(label, [])
            if known and known[-1][1] == low:
                known[-1] = (known[-1][0], high)
            else:
                known.append((low, high))
    return {label: tuple(on) for label, on in found.items()}


def _types(trace: JointTrace, i: int, pinned: bool) -> tuple[tuple[float | None, float | None, str], ...]:
    names = trace.space.types
    if trace.path is None or pinned:
        return ((None, None, names[trace.after_types[i]]),)
    out: list[tuple[float | None, float | None, str]] = []
    for low, high, k in _steps(trace):
        name = names[trace.path.types[k][i]]
        if out and out[-1][2] == name:
            out[-1] = (out[-1][0], high, name)
        else:
            out.append((low, high, name))
    return tuple(out)


def _complement(on: Sequence[Interval]) -> tuple[Interval, ...]:
    if not on:
        return ((None, None),)
    out: list[Interval] = []
    if on[0][0] is not None:
        out.append((None, on[0][0]))
    for k, (_, high) in enumerate(on):
        if high is not None:
            out.append((high, on[k + 1][0] if k + 1 < len(on) else None))
    return tuple(out)


def _near(interval: Interval, bias: float) -> bool:
    low, high = interval
    return (low is None or low <= bias + NEAR) and (high is None or high >= bias - NEAR)


def _by_pair(found: Sequence[Violation]) -> dict[int, tuple[str, ...]]:
    return _names((p, violation.name) for violation in found for p in violation.pairs)


def _by_node(found: Sequence[Violation]) -> dict[int, tuple[str, ...]]:
    return _names((i, violation.name) for violation in found for i in violation.nodes)


def _names(broken: Iterable[tuple[int, str]]) -> dict[int, tuple[str, ...]]:
    """Place -> the distinct names of the constraints broken there, in order."""
    out: dict[int, dict[str, None]] = {}
    for place, name in broken:
        out.setdefault(place, {})[name] = None
    return {place: tuple(names) for place, names in out.items()}
