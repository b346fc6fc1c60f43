"""The data of the Coreference page, without drawing: bars, tree rows, the entity grid, moved mentions, replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.data.document import Document
from engine.tasks.coreference.evaluation import Clusters, Scores, moved_clusters
from engine.tasks.coreference.scoring import CoreferenceModel
from engine.tasks.coreference.trace import CoreferenceTrace, TracedMention
from engine.tasks.explanation import Explanation
from engine.workbench.verdicts import points
from ui.components.bars import Contribution
from ui.components.text import DrawnSpan
from ui.components.tree import Chain, Tick, TreeRow
from ui.views.coreference import words

SHOWN: Final = ("muc", "b3", "ceafe", "lea")
PARTS: Final = {"precision": "precision", "recall": "recall", "f1": "F1"}
TITLES: Final = {"muc": "MUC", "b3": "B³", "ceafe": "CEAFe", "lea": "LEA"}
NEW: Final = "new"
"""The target of a move that gives a mention an entity of its own."""


def numbers(trace: CoreferenceTrace) -> tuple[dict[int, int], dict[int, int]]:
    """Numbers, from 1, of predicted and gold clusters; clusters that share most mentions have the same number."""
    gold = {cluster: cluster + 1 for cluster in sorted({one.gold for one in trace.mentions} - {-1})}
    shared = Counter((one.predicted, one.gold) for one in trace.mentions if one.predicted >= 0 and one.gold >= 0)
    predicted: dict[int, int] = {}
    for (ours, theirs), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if ours not in predicted and gold[theirs] not in predicted.values():
            predicted[ours] = gold[theirs]
    fresh = max(gold.values(), default=0)
    for cluster in sorted({one.predicted for one in trace.mentions} - {-1}):
        if cluster not in predicted:
            fresh += 1
            predicted[cluster] = fresh
    return predicted, gold


def spans(trace: CoreferenceTrace, document: Document) -> list[DrawnSpan]:
    """Bars under the text: one if both agree on the entity, else one for each side."""
    predicted, gold = numbers(trace)
    drawn = []
    found = set()
    for position, one in enumerate(trace.mentions, 1):
        found.add((one.start, one.end))
        ours, theirs = predicted.get(one.predicted), gold.get(one.gold)
        if ours is not None:
            drawn.append(
                DrawnSpan(
                    key=f"m{position}",
                    start=one.start,
                    end=one.end,
                    gold=ours == theirs,
                    predicted=True,
                    number=ours,
                    colour=ours - 1,
                )
            )
        if theirs is not None and theirs != ours:
            key = f"m{position}" if ours is None else f"g{position}"
            drawn.append(DrawnSpan(key, one.start, one.end, gold=True, number=theirs, colour=theirs - 1))
    # Gold mentions that were not proposed are not in the tree, but they are in the text.
    for cluster in range(len(document.gold.clusters)):
        for mention in document.gold.clusters[cluster]:
            one_span = document.gold.mentions[mention].span
            if one_span not in found:
                number = gold.get(cluster)
                drawn.append(DrawnSpan(f"x{mention}", *one_span, gold=True, number=number, colour=(number or 1) - 1))
    return sorted(drawn, key=lambda span: (span.start, -span.end, span.key))


def why_no_mentions(model: CoreferenceModel) -> str:
    """What to do about a document without mentions to decide."""
    return words.NONE_GIVEN if model.settings.mentions == "gold" else words.NONE_FOUND


def missed_mention(document: Document, selected: str | None) -> str | None:
    """The words of a selected gold mention that was not proposed."""
    if selected and selected[0] == "x" and selected[1:].isdecimal():
        at = int(selected[1:])
        if at < len(document.gold.mentions):
            return document.surface(document.gold.mentions[at])
    return None


def chosen_mention(trace: CoreferenceTrace, selected: str | None) -> int | None:
    """The mention (from 1) that the address names."""
    if selected and selected[0] in "mg" and selected[1:].isdecimal():
        mention = int(selected[1:])
        if 1 <= mention <= len(trace.mentions):
            return mention
    return None


def tree_rows(trace: CoreferenceTrace, *, which: str = "entities", mention: int | None = None) -> list[TreeRow]:
    """Rows of the tree view: mentions of entities, only differences between the trees, or all mentions."""
    predicted, gold = numbers(trace)
    latent = {arc.dependent: arc for arc in trace.latent}
    wanted = _wanted(trace, which, mention)
    kept = [number for number in range(1, len(trace.mentions) + 1) if number in wanted or number == mention]
    place = {number: row for row, number in enumerate(kept)}
    rows = []
    for number in kept:
        one, arc, right = trace.mentions[number - 1], trace.predicted[number - 1], latent.get(number)
        in_gold = one.gold >= 0 or one.predicted >= 0
        rows.append(
            TreeRow(
                key=f"m{number}",
                text=one.text if len(one.text) <= 60 else one.text[:59] + "…",
                type=one.type,
                sentence=one.sentence,
                number=predicted.get(one.predicted),
                gold=gold.get(one.gold),
                colour=(predicted.get(one.predicted) or gold.get(one.gold) or 1) - 1,
                head=place.get(arc.head, -1) if arc.head else -1,
                latent=-2 if right is None else place.get(right.head, -1) if right.head else -1,
                score=arc.score,
                margin=_finite(arc.margin),
                right=arc.right if trace.has_gold and in_gold else None,
            )
        )
    return rows


def first_mention(trace: CoreferenceTrace) -> int | None:
    """A mention of the entity shown by default: the longest one with a wrong arc, else the longest."""
    sizes = Counter(one.predicted for one in trace.mentions if one.predicted >= 0)
    best: tuple[bool, int, int] | None = None
    for number, (one, arc) in enumerate(zip(trace.mentions, trace.predicted, strict=True), 1):
        if one.predicted >= 0 or one.gold >= 0:
            found = (trace.has_gold and not arc.right, sizes[one.predicted], -number)
            best = found if best is None else max(best, found)
    return None if best is None else -best[2]


def chains(trace: CoreferenceTrace, mention: int | None) -> list[Chain]:
    """Every predicted entity with the positions of its mentions, ordered by first mention; `mention` belongs to the one
    that is shown."""
    predicted, _ = numbers(trace)
    length = max((one.start for one in trace.mentions), default=0) or 1
    members: dict[int, list[int]] = {}
    for number, one in enumerate(trace.mentions, 1):
        if one.predicted >= 0:
            members.setdefault(one.predicted, []).append(number)
    chosen = None if mention is None else trace.mentions[mention - 1].predicted
    return [
        Chain(
            number=predicted[cluster],
            colour=predicted[cluster] - 1,
            name=_chain_name([trace.mentions[number - 1] for number in found]),
            ticks=[_tick(trace, number, length) for number in found],
            shown=cluster == chosen,
        )
        for cluster, found in members.items()
    ]


def _chain_name(mentions: Sequence[TracedMention]) -> str:
    """The name of an entity: one of its names, else a mention that is not a pronoun, else the first mention."""
    telling = sorted(mentions, key=lambda one: (one.type != "N", one.type == "P", one.start))
    return telling[0].text[:60]


def _tick(trace: CoreferenceTrace, number: int, length: int) -> Tick:
    one = trace.mentions[number - 1]
    right = trace.predicted[number - 1].right if trace.has_gold else None
    return Tick(key=f"m{number}", at=one.start / length, text=one.text[:60], right=right)


def _wanted(trace: CoreferenceTrace, which: str, mention: int | None) -> set[int]:
    """The mentions that a filter shows."""
    everyone = enumerate(trace.mentions, 1)
    if which == "all":
        return {number for number, _ in everyone}
    if which == "one entity" and mention is not None:
        chosen = trace.mentions[mention - 1]
        return {
            number
            for number, one in everyone
            if (one.predicted >= 0 and one.predicted == chosen.predicted) or (one.gold >= 0 and one.gold == chosen.gold)
        }
    if which == "differences" and trace.latent:
        wrong = [arc.dependent for arc in trace.predicted if not arc.right]
        heads = {tree[number - 1].head for tree in (trace.predicted, trace.latent) for number in wrong}
        return heads.union(wrong)
    return {number for number, one in everyone if one.predicted >= 0 or one.gold >= 0}


def contributions(explained: Explanation) -> list[Contribution]:
    return [
        Contribution(_short(str(one.value)), one.adds, help=f"{one.group}: {one.name}")
        for one in explained.contributions
        if one.adds
    ]


def _short(value: str) -> str:
    """A feature in words, short enough for a bar: ↓ stands for the anaphor, ↑ for the antecedent."""
    return value.replace("anaphor ", "↓").replace("antecedent ", "↑")


def name_of(trace: CoreferenceTrace, mention: int) -> str:
    """Words of a mention for a plain line; 0 is the root."""
    if mention <= 0:
        return "new entity (root)"
    one = trace.mentions[mention - 1]
    return one.text if len(one.text) <= 50 else one.text[:49] + "…"


def moved(trace: CoreferenceTrace, mention: int, target: str) -> Clusters:
    """The predicted clusters after moving one mention to a target: the number of an entity as text, or NEW."""
    predicted, _ = numbers(trace)
    of = {str(number): cluster for cluster, number in predicted.items()}
    return moved_clusters(trace, mention, of.get(target))


def conll_line(before: Scores, after: Scores | None) -> str:
    """The CoNLL average in words."""
    now = 100 * before["conll"]
    if after is None:
        return f"CoNLL average {now:.1f} %"
    then = 100 * after["conll"]
    return f"CoNLL average {now:.1f} % → {then:.1f} % ({points((then - now) / 100)})"


def score_rows(before: Scores, after: Scores | None) -> list[dict[str, Any]]:
    """F1 of the four metrics, and its change by a move, in percent."""
    rows = []
    for name in SHOWN:
        row: dict[str, Any] = {"metric": TITLES[name]}
        row |= {said: 100 * before[name][part] for part, said in PARTS.items()}
        if after is not None:
            row["F1 after"] = 100 * after[name]["f1"]
            row["change"] = points(after[name]["f1"] - before[name]["f1"])
        rows.append(row)
    return rows


def doubtful(trace: CoreferenceTrace, most: int = 12) -> list[dict[str, Any]]:
    """Links with the smallest margins."""
    linked = [arc for arc in trace.predicted if arc.head and _finite(arc.margin) is not None]
    rows = []
    for arc in sorted(linked, key=lambda arc: arc.margin)[:most]:
        rows.append(
            {
                "": ("✓" if arc.right else "✗") if trace.has_gold else "",
                "link": f"{name_of(trace, arc.dependent)} → {name_of(trace, arc.head)}",
                "rather than": name_of(trace, arc.runner_up) if arc.runner_up > 0 else "new entity",
                "margin": arc.margin,
            }
        )
    return rows


def grid(trace: CoreferenceTrace, *, gold: bool = False, most: int = 14) -> tuple[list[str], list[dict[str, str]]]:
    """The entity grid (Barzilay, Lapata 2008): for each sentence, each large entity as S subject, O object, or X
    other."""
    predicted, right = numbers(trace)
    of = right if gold else predicted
    sizes = Counter((one.gold if gold else one.predicted) for one in trace.mentions)
    sizes.pop(-1, None)
    largest = [cluster for cluster, _ in sizes.most_common(most)]
    title: dict[int, TracedMention] = {}
    for one in trace.mentions:
        cluster = one.gold if gold else one.predicted
        # By the first name it has, else by its first mention.
        if cluster in sizes and (cluster not in title or (one.type == "N" and title[cluster].type != "N")):
            title[cluster] = one
    names = {cluster: f"{of[cluster]} {_head(title[cluster])}" for cluster in largest}
    rows: dict[int, dict[str, str]] = {}
    for one in trace.mentions:
        cluster = one.gold if gold else one.predicted
        row = rows.setdefault(one.sentence, {})
        if cluster in names:
            role = _role(one)
            known = row.get(names[cluster], "")
            row[names[cluster]] = min(known, role, key="SOX ".find) if known else role
    columns = [names[cluster] for cluster in largest]
    table = [
        {"sentence": str(sentence + 1), **{name: rows[sentence].get(name, "–") for name in columns}}
        for sentence in sorted(rows)
    ]
    return columns, table


def _head(one: TracedMention) -> str:
    """The head of a mention as the text writes it."""
    return next((word for word in one.text.split() if word.casefold() == one.head.casefold()), one.head)


def _role(one: TracedMention) -> str:
    relation = one.relation.lower()
    if relation.startswith(("nsubj", "csubj", "s-initial")):
        return "S"
    return "O" if relation.startswith(("obj", "dobj", "iobj")) else "X"


def shape_rows(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Per iteration: loss, share of mentions read, updates, and the shape of the latent trees."""
    return [
        {
            "iteration": one["iteration"],
            "loss": one["loss"],
            "read, %": 100 * one["read"],
            "updates": one["updates"],
            "arc distance": one["arc_distance"],
            "tree depth": one["depth"],
        }
        for one in history
    ]


def replay(history: Sequence[Mapping[str, Any]], document: str, iteration: int) -> Mapping[str, Any] | None:
    """What one iteration did with one training document; None if it did not train on it."""
    for one in history:
        if one["iteration"] == iteration:
            return next((item for item in one["documents"] if item["id"] == document), None)
    return None


def last_busy(history: Sequence[Mapping[str, Any]], document: str) -> int:
    """The last iteration in which the document led to updates, after which there is nothing to replay; if it never did,
    the last iteration."""
    busy = [
        one["iteration"] for one in history for item in one["documents"] if item["id"] == document and item["updates"]
    ]
    return max(busy, default=len(history))


def _finite(x: float) -> float | None:
    return x if abs(x) < 1e300 else None
