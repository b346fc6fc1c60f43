"""The data of the Distant page, without drawing: traces of bags as rows, spans and sentences."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from engine.data.document import Document
from engine.learners.fbeta import to_van_rijsbergen
from engine.metrics.errors import Span
from engine.tasks.distant.scored import UNLISTED
from engine.tasks.distant.trace import DistantTrace, Why
from engine.tasks.distant.training import LossTrace
from engine.tasks.explanation import Explanation
from ui.background.retraining import Visited
from ui.components.bars import Contribution
from ui.components.text import DrawnSpan, Interval
from ui.shell import layout
from ui.tab import palette
from ui.views.distant import words


def short(relation: str) -> str:
    """The last step of a path such as /people/person/place_of_birth."""
    return relation.rstrip("/").split("/")[-1].replace("_", " ") or relation


def spans(document: Document, trace: DistantTrace) -> list[DrawnSpan]:
    """Both names of every member; the member's relation is shown under its second name."""
    assert document.bag is not None
    gold = set(document.gold.labels)
    colour = {relation: i % 6 for i, relation in enumerate(trace.relations)}
    drawn = []
    for position, member in enumerate(document.bag.members):
        if member.head is None or member.tail is None:
            continue
        one = trace.members[position]
        right = one.label in gold
        for side, at in (("a", member.head), ("b", member.tail)):
            mention = document.gold.mentions[at]
            drawn.append(
                DrawnSpan(
                    key=f"m{position}{side}",
                    start=mention.start,
                    end=mention.end,
                    label=said(trace, position) if side == "b" else "",
                    gold=right,
                    predicted=one.label is not None,
                    colour=colour.get(one.label or "", 5),
                    weight=1.0 if one.label else 0.3,
                    pinned=one.pinned and side == "b",
                )
            )
    return drawn


def said(trace: DistantTrace, member: int) -> str:
    """The relation chosen for a sentence, and its lead over nil."""
    label = trace.members[member].label
    if label is None:
        return ""
    return layout.with_minus(f"{short(label)} {trace.members[member].scores[trace.relations.index(label)]:+.2f}")


def names_of(document: Document, member: int) -> tuple[Span, Span] | None:
    """The spans of the two names in a sentence of the bag; None if they are not both marked."""
    if document.bag is None or member >= len(document.bag.members):
        return None
    head, tail = document.bag.members[member].head, document.bag.members[member].tail
    if head is None or tail is None:
        return None
    return document.gold.mentions[head].span, document.gold.mentions[tail].span


def places(document: Document) -> list[tuple[int, int, str]]:
    """The spans of the two names in all sentences of the bag, with the keys of the sentences."""
    found = []
    for i in range(len(document.bag.members) if document.bag else 0):
        names = names_of(document, i)
        if names is not None:
            (a, b), (c, d) = names
            found.append((min(a, c), max(b, d), f"m{i}b"))
    return found


def member_of(selected: str | None, n: int) -> int:
    """The member of a selection; by default the first."""
    digits = (selected or "")[1:-1]
    if selected and selected[0] == "m" and digits.isdigit() and int(digits) < n:
        return int(digits)
    return 0


def decisions(trace: DistantTrace) -> list[tuple[Interval, ...]]:
    """For each relation of this bag, the bias intervals in which it holds."""
    found: dict[str, list[Interval]] = {}
    steps = [*trace.path, (float("inf"), ())]
    for (low, held), (high, _) in itertools.pairwise(steps):
        for relation in held:
            stretch = (None if low == float("-inf") else low, None if high == float("inf") else high)
            known = found.setdefault(relation, [])
            if known and known[-1][1] == stretch[0]:
                known[-1] = (known[-1][0], stretch[1])
            else:
                known.append(stretch)
    return [tuple(stretches) for stretches in found.values()]


def label_rows(trace: DistantTrace, *, judged: bool = True) -> list[dict[str, Any]]:
    """The relations of the pair with the sentences that express them and, if gold judges them, which are right."""
    rows = []
    for one in sorted(trace.labels, key=lambda row: (not row.predicted, row.relation)):
        sign = palette.RIGHT if one.predicted and one.gold else palette.WRONG if one.predicted else palette.MISSED
        rows.append(
            {
                **({"": sign} if judged else {}),
                "relation": one.relation,
                "predicted": one.predicted,
                **({"gold": one.gold} if judged else {}),
                "said by": ", ".join(str(m + 1) for m in one.members) or "no sentence",
                "pair adds": one.pair_score,
                "pinned": one.pinned,
            }
        )
    return rows


def member_rows(document: Document, trace: DistantTrace) -> list[dict[str, Any]]:
    assert document.bag is not None
    return [
        {
            "sentence": i + 1,
            "says": one.label or "nil",
            "over nil": None if one.label is None else one.scores[trace.relations.index(one.label)],
            "runner-up": one.runner_up or "nil",
            "over the runner-up": one.margin,
            "pinned": one.pinned,
            "text": _sentence(document, i),
        }
        for i, one in enumerate(trace.members)
    ]


def _sentence(document: Document, position: int) -> str:
    if position >= len(document.sentences):
        return ""
    start, end = document.sentences[position]
    return layout.visible(" ".join(document.words[start:end]))


def contributions(trace: DistantTrace, member: int, most: int = 10) -> list[Contribution]:
    """The score of each relation relative to nil for this sentence."""
    scores = trace.members[member].scores
    listed = [i for i, score in enumerate(scores) if score > UNLISTED / 2]
    order = sorted(listed, key=lambda i: -scores[i])[:most]
    return [Contribution(trace.relations[i], scores[i]) for i in order]


def runner_up(why: Why) -> str:
    """The best output of the bag in which this sentence has another label."""
    if why.margin is None:
        return words.NO_OTHER_WAY
    says, other = why.label or "nil", why.runner_up or "nil"
    return (
        f"{says} leads by {layout.three(why.margin)}; in the runner-up the sentence says {other}."
        f" The decision flips if the score of {says} falls by {layout.three(why.margin)}."
    )


def flip_line(why: Why, relation: str) -> str:
    """By how much this relation's score alone must change for the sentence to take it, or to lose it."""
    change = next((flip.change for flip in why.flips if flip.label == relation), None)
    if change is None:
        return words.NO_CHANGE
    return layout.with_minus(f"It flips if its score changes by {change:+.3g}.")


def shares(told: Explanation) -> list[Contribution]:
    """What nil and each feature add to a sentence's relation."""
    features = [Contribution(layout.visible(one.name), one.adds, one.value) for one in told.contributions if one.adds]
    return [*([Contribution(words.NIL_STANDS, told.base, 1.0)] if told.base else []), *features]


def grid_caption(trace: LossTrace) -> str:
    """What the grid shows, and how the paper's search of it ended."""
    return words.GRID_CAPTION.format(
        steps=len(trace.climb) - 1,
        fp=trace.climb[-1][0],
        fn=trace.climb[-1][1],
        gap=f"{trace.two_prices_gap:.3g}",
        betas=both_betas(trace.beta),
    )


def grid_rows(trace: LossTrace) -> list[dict[str, Any]]:
    ends = (
        (words.WORST, trace.worst, trace.worst_value),
        ("hill climbing", trace.climb[-1], trace.climb_value),
        ("what the model predicts", trace.predicted, None),
    )
    return [{"point": point, "FP": fp, "FN": fn, "value or bound": value} for point, (fp, fn), value in ends]


def round_rows(rounds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The objective of every CCCP round, and how well its searches were certified."""
    return [
        {
            "round": i + 1,
            "objective": one["objective"],
            "primal": one["primal"],
            "dual": one["dual"],
            "gap": one["gap"],
            "certified, %": one["certified"],
            "known to": one.get("doubt"),
            "relabelled": one["changed"],
            "planes": len(one["planes"]),
            **({"integral, %": one["integral"]} if one.get("integral") is not None else {}),
        }
        for i, one in enumerate(rounds)
    ]


def both_betas(beta: float) -> str:
    """The weight, and van Rijsbergen's beta for it."""
    other = to_van_rijsbergen(beta)
    shown = "∞" if other == float("inf") else f"{other:.2f}"
    leaning = "F1, balanced" if beta == 0.5 else f"favours {'precision' if beta > 0.5 else 'recall'}"
    return f"weight on precision {beta:.3g} = van Rijsbergen's β {shown} ({leaning})"


def visited_rows(visited: Sequence[Visited]) -> list[dict[str, Any]]:
    return [
        {
            "weight on precision": one.beta,
            "van Rijsbergen's β": round(to_van_rijsbergen(one.beta), 3) if one.beta else None,
            "precision": 100 * one.precision,
            "recall": 100 * one.recall,
            "F1": 100 * one.f1,
            "F at this weight": 100 * one.fbeta,
            "seconds": round(one.seconds, 2),
        }
        for one in visited
    ]
