"""The entity-relation graph of a sentence as files: a drawing for papers and slides (SVG), and its numbers (JSON)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from engine.tasks.joint.constraints.language import to_json
from engine.tasks.joint.constraints.together import Violation
from engine.tasks.joint.trace import JointTrace
from ui.components.graph import BROKEN as BROKEN_SIGN
from ui.components.graph import Arrow, Interval, Node
from ui.shell import layout
from ui.tab import palette

# The same measures as components/graph.js, so that the file looks like the page.
GAP: Final = 34
NODE: Final = 54
LEVEL: Final = 40
PAD: Final = 26
TITLE: Final = 20
BROKEN: Final = "#C4314B"


@dataclass
class _Placed:
    arrow: Arrow
    level: int = 0
    start: float = 0.0
    end: float = 0.0


def drawing(nodes: Sequence[Node], before: Sequence[Arrow], after: Sequence[Arrow], bias: float) -> str:
    """The drawing of the page at this bias, on white: independent decisions above the mentions, joint ones below."""
    widths = [max(84.0, min(190.0, 9 + 7.6 * max(len(node.surface), 12))) for node in nodes]
    lefts = [PAD + sum(widths[:k]) + GAP * k for k in range(len(nodes))]
    up, down = (_placed([a for a in arrows if _is_on(a.on, bias)], lefts, widths) for arrows in (before, after))
    row = TITLE + LEVEL * _height(up) + 18
    height = row + NODE + LEVEL * _height(down) + 18 + TITLE
    width = PAD * 2 + sum(widths) + GAP * max(0, len(nodes) - 1)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}"'
        f' viewBox="0 0 {width:.0f} {height}" font-family="sans-serif" font-size="12.5">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(PAD, 14, "each classifier alone", palette.role("muted", False), anchor="start"),
        _text(PAD, height - 6, "decided together", palette.role("muted", False), anchor="start"),
    ]
    pieces += [_arrow(one, row, -1) for one in up] + [_arrow(one, row + NODE, 1) for one in down]
    pieces += [_node(node, left, row, w, bias) for node, left, w in zip(nodes, lefts, widths, strict=True)]
    return "\n".join([*pieces, "</svg>\n"])


def _is_on(on: Sequence[Interval], bias: float) -> bool:
    return any((low is None or bias >= low) and (high is None or bias < high) for low, high in on)


def _height(placed: Sequence[_Placed]) -> int:
    return max((one.level + 1 for one in placed), default=1)


def _placed(arrows: Sequence[Arrow], lefts: Sequence[float], widths: Sequence[float]) -> list[_Placed]:
    """The arrows with overlapping ones on different levels, short ones nearest to the row, and separate end points. An
    arrow that names the constraint it breaks is wider than its line: it overlaps its neighbours, too."""
    made: list[_Placed] = []
    rows: list[list[tuple[int, int, int]]] = []
    for arrow in sorted(arrows, key=lambda a: abs(a.head - a.tail)):
        low, high = sorted((arrow.head, arrow.tail))
        level, wide = 0, int(bool(arrow.violations))
        while level < len(rows) and any(low < b + (w or wide) and a < high + (w or wide) for a, b, w in rows[level]):
            level += 1
        if level == len(rows):
            rows.append([])
        rows[level].append((low, high, wide))
        made.append(_Placed(arrow, level))
    for n, (left, width) in enumerate(zip(lefts, widths, strict=True)):
        ends = [(one, one.arrow.tail, "start") for one in made if one.arrow.head == n]
        ends += [(one, one.arrow.head, "end") for one in made if one.arrow.tail == n]
        # Ends of arrows to the left come first, the longest nearest to the middle, so that arrows do not cross.
        ends.sort(key=lambda e: (-1 if e[1] < n else 1) * (1000 - abs(e[1] - n) * 10 - e[0].level))
        for k, (one, _, side) in enumerate(ends):
            setattr(one, side, left + width * (k + 1) / (len(ends) + 1))
    return made


def _arrow(one: _Placed, base: float, way: int) -> str:
    """`way` -1 goes up from the top edge of the mentions, 1 down from their bottom edge."""
    arrow = one.arrow
    y = base + way * (14 + one.level * LEVEL + LEVEL / 2)
    colour = palette.role("declined", False) if arrow.missed else BROKEN if arrow.violations else palette.LIGHT[0]
    dash = ' stroke-dasharray="2 4"' if arrow.missed else ' stroke-dasharray="6 4"' if arrow.violations else ""
    tip = base + way * 8
    right = {True: palette.RIGHT, False: palette.WRONG, None: ""}[arrow.gold]
    signs = [BROKEN_SIGN if arrow.violations else "", palette.MISSED if arrow.missed else right]
    middle = (one.start + one.end) / 2
    pieces = [
        f'<path d="M{one.start:.1f},{base} V{y} H{one.end:.1f} V{tip}" fill="none" stroke="{colour}"'
        f' stroke-width="2" stroke-linejoin="round"{dash}/>',
        f'<path d="M{one.end - 4.5:.1f},{tip} L{one.end + 4.5:.1f},{tip} L{one.end:.1f},{base} Z" fill="{colour}"/>',
        _text(middle, y - 5, " ".join(filter(None, [*signs, arrow.label])), "black"),
    ]
    if arrow.violations:
        more = f" +{len(arrow.violations) - 1}" if len(arrow.violations) > 1 else ""
        pieces.append(_text(middle, y + 14, arrow.violations[0] + more, BROKEN))
    return "\n".join(pieces)


def _node(node: Node, left: float, top: float, width: float, bias: float) -> str:
    now = next((name for low, high, name in node.after if _is_on(((low, high),), bias)), node.before)
    name = now if now == node.before else f"{node.before} → {now}"
    sign = "" if node.gold is None else f" {palette.RIGHT if node.gold == now else palette.WRONG}"
    fits = int((width - 12) / 7.2)
    surface = node.surface if len(node.surface) <= fits else node.surface[: fits - 1] + "…"
    edge = palette.LIGHT[0] if now != node.before else palette.role("line", False)
    return "\n".join(
        [
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{NODE}" rx="8"'
            f' fill="{palette.role("raised", False)}" stroke="{edge}"/>',
            _text(left + width / 2, top + 23, surface, "black", weight="bold"),
            _text(left + width / 2, top + 42, name + sign, "black"),
        ]
    )


def _text(x: float, y: float, words: str, colour: str, *, anchor: str = "middle", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill={quoteattr(colour)}'
        f' paint-order="stroke" stroke="white" stroke-width="3">{escape(layout.visible(words))}</text>'
    )


def numbers(trace: JointTrace, text: str) -> str:
    """The contents of the graph as JSON: decisions, probabilities, violations and costs."""
    labels = trace.space.labels
    body = {
        "document": trace.document,
        "text": text,
        "bias": trace.bias,
        "mentions": [
            {
                "start": start,
                "end": end,
                "surface": trace.surfaces[i],
                "alone": trace.space.types[trace.before_types[i]],
                "together": trace.space.types[trace.after_types[i]],
                "gold": trace.space.types[trace.gold_types[i]] if trace.gold_types[i] >= 0 else None,
                "log_probabilities": dict(zip(trace.space.types, trace.type_scores[i].tolist(), strict=True)),
                "lp": dict(zip(trace.space.types, trace.relaxed_types[i].tolist(), strict=True)),
            }
            for i, (start, end) in enumerate(trace.spans)
        ],
        "pairs": [
            {
                "head": i,
                "tail": j,
                "alone": labels[trace.before_labels[p]],
                "together": labels[trace.after_labels[p]],
                "gold": labels[trace.gold_labels[p]],
                "log_probabilities": dict(zip(labels, trace.label_scores[p].tolist(), strict=True)),
                "lp": dict(zip(labels, trace.relaxed_labels[p].tolist(), strict=True)),
            }
            for p, (i, j) in enumerate(trace.pairs)
        ],
        "broken_alone": [_broken(v) for v in trace.before_violations],
        "broken_together": [_broken(v) for v in trace.after_violations],
        "score_alone": trace.before_score,
        "objective": trace.objective,
        "rung": trace.rung,
        "lp_integral": trace.integral,
        "lp_bound": trace.bound,
        "binding": list(trace.binding),
        "clash": list(trace.conflict),
        "constraints": to_json(trace.constraints),
    }
    return json.dumps(body, ensure_ascii=False, indent=1)


def _broken(violation: Violation) -> dict[str, Any]:
    return {
        "constraint": violation.name,
        "what": violation.text,
        "mentions": list(violation.nodes),
        "pairs": list(violation.pairs),
        "price": None if violation.hard else violation.price,
    }
