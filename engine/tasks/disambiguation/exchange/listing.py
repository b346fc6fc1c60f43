"""The candidates of one document with their probabilities, and the best sequences that the search ended with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.data.document import Layer
from engine.data.pins import Pin
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.disambiguation.deciding import no_mentions, problem_of
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.disambiguation.trace import trace


def list_parts(scored: DisambiguationScored, pins: Sequence[Pin] = ()) -> list[ListedPart]:
    """Every candidate with its score given the decisions before it."""
    return [
        ListedPart(
            option.part,
            {"mention": position, "start": decision.start, "end": decision.end, "entity": option.entity},
            option.score,
            option.chosen,
            option.probability,
        )
        for position, decision in enumerate(trace(scored, pins).decisions)
        for option in decision.options
    ]


def weigh(scored: DisambiguationScored, pins: Sequence[Pin] = ()) -> Weighed:
    """The score of the sequence that the search found; it is the best one if mentions are decided independently."""
    problem = problem_of(scored, {scored.documents[0].id: pins} if pins else None)
    return Weighed(float(problem.decode().totals[0]), scored.steps is None)


def best_outputs(scored: DisambiguationScored, k: int, pins: Sequence[Pin] = ()) -> list[tuple[float, Layer]]:
    """At most as many outputs as the beam is wide; each mention carries the probability of its entity."""
    traced = trace(scored, pins)
    found = traced.k_best
    gone = no_mentions(pins)
    mentions = [(m, one) for m, one in enumerate(scored.documents[0].gold.mentions) if one.span not in gone]

    def share(m: int, entity: str) -> float:
        options = {option.entity: option.probability for option in traced.decisions[m].options}
        return options[entity] if entity in options else max(0.0, 1.0 - sum(options.values()))

    def layer(entities: Sequence[str]) -> Layer:
        return Layer(tuple(replace(one, entity=entities[m], score=share(m, entities[m])) for m, one in mentions))

    return [(one.score, layer(one.entities)) for one in found[:k]]
