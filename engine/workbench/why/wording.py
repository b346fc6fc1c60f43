"""A contrast in words: the two answers, the lead of one over the other, and what would reverse it."""

from __future__ import annotations

from typing import Any

from engine.data.document import Document
from engine.metrics.cases import answers_in_words, place_in_words
from engine.metrics.differences import Decision
from engine.workbench.why.contrast import Contrast

_NOTHING = "nothing"


def title(found: Contrast) -> str:
    """The place of the case and the two answers."""
    gold, said = answers_in_words(found.case, found.document)
    place = place_in_words(found.case.main, found.document)
    return f"{place}: said {said or _NOTHING}, gold {gold or _NOTHING}"


def decision(one: Decision, document: Document) -> str:
    """One decision of an output, in words."""

    def words(span: tuple[int, int]) -> str:
        return "“" + " ".join(document.text[slice(*span)].split()) + "”"

    match one.kind:
        case "label":
            return one.value
        case "relation":
            return f"{words((one.start, one.end))} → {words(one.other)}: {one.value}"
        case "coreference":
            return f"{words((one.start, one.end))} is {words(one.other)}"
        case _:
            return f"{words((one.start, one.end))}: {one.value}"


def sentences(found: Contrast) -> list[str]:
    """What would reverse the answer, one sentence each, simplest first."""
    lead = found.lead
    if lead is None:
        return [f"Gold's answer was no option here ({found.stage}): no change of scores could bring it about."]
    how = "exactly" if found.exact else "as far as the search can tell"
    if lead < 0:
        told = [f"Gold's answer scores {number(-lead)} more than what was said: the search lost it."]
    else:
        told = [f"It takes {number(lead)} more for gold's answer to win ({how}): {_who_gains(found)}."]
    told.append(_bias(found))
    if found.fewest:
        names = ", ".join(f"“{one.name}”" for one in found.fewest[:4])
        more = len(found.fewest) - 4
        rest = f" and {more} more" if more > 0 else ""
        told.append(f"Without the contribution of {names}{rest}, gold's answer would be ahead.")
    return told


def as_record(found: Contrast) -> dict[str, Any]:
    """The whole contrast as JSON values, for programs."""
    document, right = found.document, found.right
    return {
        "case": title(found),
        "start": found.case.main.start,
        "end": found.case.main.end,
        "stage": found.stage,
        "said": [decision(one, document) for one in found.said.decisions],
        "right": None if right is None else [decision(one, document) for one in right.decisions],
        "lead": found.lead,
        "exact": found.exact,
        "bias": None if found.bias is None else found.bias.bias,
        "features": [{"name": one.name, "group": one.group, "adds": one.adds} for one in found.features],
        "enough_without": [one.name for one in found.fewest],
        "sentences": sentences(found),
    }


def number(x: float) -> str:
    """Three significant digits, with a typographic minus sign."""
    return f"{x:.3g}".replace("-", "−")


def signed(x: float) -> str:
    return f"{x:+.3g}".replace("-", "−")


def _who_gains(found: Contrast) -> str:
    gold, _ = answers_in_words(found.case, found.document)
    return "its score must rise by that much" if gold else "declining here must rise by that much"


def _bias(found: Contrast) -> str:
    if found.bias is None:
        return "No bias makes it right."
    here, at = found.bias.edge, number(found.bias.bias)
    if not found.bias.exact:
        return f"Of the biases that were tried, {at} is the nearest that makes it right."
    return f"The nearest bias that makes it right is {at}; the change comes at {number(here)}."
