"""Two directions that look ahead to each other: Algorithm 1 of Yang, Irsoy and Rahman 2018 (BiBSG), as printed.

The forward search keeps the prefixes with the best S(x, y_1:t) + S(x, y_T:t), the second term from the backward beam of
the previous round; the backward search likewise, from the forward beam just made. One F scores both: it knows the
decisions before a step, but not the side they came from. The beams of all rounds of a direction are united into one set
of sequences. The answer is the best sequence of the direction that gives its own the higher p(y | x) within its last
beam.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Int
from engine.kernels import inlined, part
from engine.learners.sgtb.both import Both, Rounds
from engine.learners.sgtb.points import Gradients, points_of_steps
from engine.learners.sgtb.search import Odds, Problem, beam_search
from engine.structures.beam import Beam, log_total, top_of


@inlined
def search_round(problem: Problem, reverse: Problem, nth: Int, nil: Floats, both: Both) -> None:
    """One round: forward, then backward. In the first round there is no backward beam to look ahead to yet."""
    if nth == 0:
        beam_search(problem, Odds(nil, both.none, both.no_nil), both.forward, both.ahead)
    else:
        beam_search(problem, Odds(nil, both.back.rows, both.back.nil), both.forward, both.ahead)
    beam_search(reverse, Odds(nil, both.ahead.rows, both.ahead.nil), both.backward, both.back)


@part
def mutual_gradients(
    problem: Problem, reverse: Problem, n_rounds: Int, both: Both, found: Rounds, out: Gradients, n_out: Int
) -> tuple[int, float]:
    """The points of all sequences found in the rounds, each once; returns (points, mean loss of the directions)."""
    n = len(problem.mentions)
    found.forward.n_kept[:n] = 0
    found.backward.n_kept[:n] = 0
    for nth in range(n_rounds):
        search_round(problem, reverse, nth, both.no_nil, both)
        unite(both.forward, n, found.forward)
        unite(both.backward, n, found.backward)
    n_out, loss = points_of_steps(problem, found.forward, n, out, n_out)
    n_out, backward_loss = points_of_steps(reverse, found.backward, n, out, n_out)
    return n_out, (loss + backward_loss) / 2


@part
def unite(beam: Beam, n_steps: Int, found: Beam) -> None:
    """Add the sequences of every step of a beam to those found before: C <- C + C(F) of Algorithm 1."""
    before = np.zeros(1, np.int64)
    for t in range(n_steps):
        places = np.empty(beam.n_kept[t], np.int64)
        for k in range(beam.n_kept[t]):
            # A sequence's prefix was in the same beam one step earlier, so it is already included.
            parent, row = before[beam.parents[t, k]], beam.rows[t, k]
            at = found.n_kept[t]
            for other in range(found.n_kept[t]):
                if found.parents[t, other] == parent and found.rows[t, other] == row:
                    at = np.int64(other)
            if at == found.n_kept[t]:
                found.n_kept[t] += 1
                found.parents[t, at], found.rows[t, at], found.scores[t, at] = parent, row, beam.scores[t, k]
            found.blocks[t, parent] = beam.blocks[t, beam.parents[t, k]]
            if k == beam.gold_at[t]:
                found.gold_at[t] = at
            places[k] = at
        before = places


@inlined
def log_share(beam: Beam, n: Int) -> float:
    """log p(y | x) of a beam's best sequence."""
    scores = beam.scores[n - 1, : beam.n_kept[n - 1]]
    return float(scores[top_of(beam, n)] - log_total(scores))


@inlined
def is_backward_likelier(both: Both, n: Int) -> bool:
    """Whether the best sequence of the backward beam has the higher probability within its own beam."""
    return bool(log_share(both.backward, n) > log_share(both.forward, n))
