"""Calibration of outside scores on documents with gold: off unless somebody asks for it, and recorded in the file.

temperature   every score is divided by one number T, the one under which gold is most likely when the alternatives of
              each group (`evidence`) share a softmax: Guo et al., On Calibration of Modern Neural Networks (ICML 2017)
isotonic      the softmax probability of each alternative is replaced by a step function of it that fits best how often
              such alternatives are right, and brought back to a score against declining: Zadrozny and Elkan,
              Transforming Classifier Scores into Accurate Multiclass Probability Estimates (KDD 2002)

Both keep the order of the alternatives of a group. What was fitted is a small JSON value, so that scores of other
documents of the same program can be brought to the same scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from engine.arrays import Floats
from engine.corpora.records.fields import expect, list_of
from engine.corpora.scores.evidence import KINDS, Group, Kind, groups_of, judged
from engine.corpora.scores.parts import Arc, Json, Label, Link, Part, Typed
from engine.corpora.scores.records import ScoreRecord, with_parts
from engine.data.document import Document
from engine.data.errors import InputError

Method: TypeAlias = Literal["temperature", "isotonic"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)
WIDEST: Final = 8.0
"""The natural logarithm of the largest temperature, and of one over the smallest."""
SUREST: Final = 1e-6
"""How near to 0 and 1 a fitted probability may come."""
ORDER: Final = 1e-9
"""How much of the old score is added where a step makes numbers equal: enough to keep their order."""


@dataclass(frozen=True)
class Calibration:
    """What was fitted for each kind of parts: a temperature, or the corners (old, new probability) of a function."""

    method: Method
    fitted: Mapping[Kind, Any]

    def told(self) -> str:
        """In words, for people and for the file."""
        if self.method == "temperature":
            return "temperature: " + ", ".join(f"{kind} {value:.4g}" for kind, value in self.fitted.items())
        return "isotonic: " + ", ".join(f"{kind} in {len(value[0])} steps" for kind, value in self.fitted.items())

    def to_json(self) -> Json:
        return {"method": self.method, "fitted": dict(self.fitted)}

    @classmethod
    def from_json(cls, value: Any) -> Calibration:
        """What `to_json` made; a file may come from anywhere."""
        method, fitted = expect(value, dict, "the map").get("method"), value.get("fitted")
        if method not in METHODS:
            raise InputError(f"must be one of {', '.join(METHODS)}", field="method")
        found: dict[Kind, Any] = {}
        for kind in KINDS:
            if kind in expect(fitted, dict, "fitted"):
                found[kind] = _checked(fitted[kind], method, f"fitted.{kind}")
        return cls(method, found)

    def applied(self, record: ScoreRecord) -> Document:
        """The record with scores on the new scale, to be written. A bias that was chosen for the old one goes."""
        parts: list[Json] = []
        for group in groups_of(record):
            if group.kind not in self.fitted:
                raise InputError(f"nothing was fitted for {group.kind}")
            if group.nil is not None:
                parts.append(_json(group.nil, 0.0))
            scores = self._moved(group)
            parts += [_json(part, score) for part, score in zip(group.parts, scores.tolist(), strict=True)]
        made = with_parts(record.document, parts, scale="logit", alternatives=record.alternatives, bias=None)
        return replace(made, extra={**made.extra, "calibration": self.told()})

    def _moved(self, group: Group) -> Floats:
        """New scores against declining, of the alternatives that are not declining."""
        fitted = self.fitted[group.kind]
        if self.method == "temperature":
            return np.asarray(group.against / fitted, dtype=np.float64)
        # A relation of a bag was judged alone against not being there.
        alone = group.kind == "labels"
        shares = 1.0 / (1.0 + np.exp(-group.against)) if alone else _shares(group.scores)
        logs = np.log(np.clip(np.interp(shares, *fitted), SUREST, 1.0 - SUREST))
        if alone:
            logs = logs - np.log(np.clip(np.interp(1.0 - shares, *fitted), SUREST, 1.0 - SUREST))
        elif group.declines:
            logs = logs[1:] - logs[0]
        return np.asarray(logs + ORDER * group.against, dtype=np.float64)


def fit(method: Method, records: Iterable[tuple[ScoreRecord, Document]]) -> Calibration:
    """The calibration that makes gold of these documents most likely (temperature) or fits it best (isotonic)."""
    seen: dict[Kind, list[tuple[Floats, Any]]] = {}
    mixed = False
    for record, gold in records:
        sides = {part.member is None for part in record.parts if isinstance(part, Label)}
        mixed = mixed or len(sides) > 1
        for group, right in judged(record, gold):
            seen.setdefault(group.kind, []).append((group.scores, right))
    if not seen:
        raise InputError("gold of these documents tells nothing about the scores; name documents with gold")
    if method == "isotonic" and mixed:
        raise InputError("scores of sentences and of whole bags add up, which only one temperature keeps; choose that")
    fitting = _temperature if method == "temperature" else _steps
    return Calibration(method, {kind: fitting(seen[kind]) for kind in KINDS if kind in seen})


def _temperature(groups: list[tuple[Floats, Any]]) -> float:
    """T that minimises the negative log-likelihood of what is right: convex in 1 / T where one alternative is right."""
    from scipy.optimize import minimize_scalar

    scores = np.concatenate([one for one, _ in groups])
    right = np.concatenate([one for _, one in groups])
    starts = np.concatenate([[0], np.cumsum([len(one) for one, _ in groups])[:-1]]).astype(np.int64)
    of = np.repeat(np.arange(len(groups)), [len(one) for one, _ in groups])

    def loss(log_t: float) -> float:
        tempered = scores / np.exp(log_t)
        top = np.maximum.reduceat(tempered, starts)
        mass = np.exp(tempered - top[of])
        chosen = np.add.reduceat(np.where(right, mass, 0.0), starts)
        return float(np.sum(np.log(np.add.reduceat(mass, starts)) - np.log(np.maximum(chosen, 1e-300))))

    found = minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def _steps(groups: list[tuple[Floats, Any]]) -> list[list[float]]:
    """Corners of the isotonic regression of being right on the share of each alternative."""
    from sklearn.isotonic import IsotonicRegression

    shares = np.concatenate([_shares(scores) for scores, _ in groups])
    right = np.concatenate([one for _, one in groups]).astype(np.float64)
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(shares, right)
    return [fitted.X_thresholds_.tolist(), fitted.y_thresholds_.tolist()]


def _shares(scores: Floats) -> Floats:
    mass = np.exp(scores - scores.max())
    return np.asarray(mass / mass.sum(), dtype=np.float64)


def _json(part: Part, score: float) -> Json:
    """The part as it stands in a record, with another score; mentions by their characters."""
    if isinstance(part, Link):
        told: Json = {"start": part.span[0], "end": part.span[1], "entity": part.entity, "score": score}
        return {**told, "type": part.type} if part.type else told
    if isinstance(part, Arc):
        before = None if part.antecedent is None else list(part.antecedent)
        return {"mention": list(part.span), "antecedent": before, "score": score}
    if isinstance(part, Label):
        member: Json = {} if part.member is None else {"member": part.member}
        share: Json = {"share": part.share} if part.relation is None and part.share != 1.0 else {}
        return {**member, "relation": part.relation, "score": score, **share}
    if isinstance(part, Typed):
        return {"entity": list(part.span), "type": part.type, "score": score}
    return {"head": list(part.head), "tail": list(part.tail), "type": part.type, "score": score}


def _checked(value: Any, method: Method, field: str) -> Any:
    if method == "temperature":
        found: float = expect(value, float, field)
        if not 0.0 < found < float("inf"):
            raise InputError("a temperature is above 0", field=field)
        return found
    corners = [list_of(side, float, field) for side in expect(value, list, field)]
    if len(corners) != 2 or len(corners[0]) != len(corners[1]) or not corners[0]:
        raise InputError("expected corners: old and new probabilities", field=field)
    if any(side != sorted(side) or not 0.0 <= side[0] <= side[-1] <= 1.0 for side in corners):
        raise InputError("probabilities rise from 0 to 1", field=field)
    return corners
