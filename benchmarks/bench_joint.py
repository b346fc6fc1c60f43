"""Joint inference: every rung of the ladder against PuLP with CBC, and what a switched constraint costs.

    python -m benchmarks.bench_joint [--sentences N] [--quick]

CPU seconds of this process and its children (CBC runs as one); ratios are of the same run. The last lines need the
CoNLL04 corpus ($ESPALIER_DATA, else ../shared/data) and are left out without it; --quick takes the sample corpus.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.places import DATA, SAMPLES, parser
from engine.structures.typed_pairs import TypedPairs
from engine.tasks.joint.constraints import Arguments, Constraint, Count, Exclusive
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.together import tables, with_switch
from engine.tasks.joint.inference import Decoder
from engine.tasks.joint.inference.program import SentenceProgram, sentence_program
from engine.tasks.joint.scored import JointScored

SPACE = Space(("Loc", "Org", "Other", "Peop"), ("none", "Kill", "Live_In", "Located_In", "OrgBased_In", "Work_For"))
LICENCES = {
    "Kill": ("Peop", "Peop"),
    "Live_In": ("Peop", "Loc"),
    "Located_In": ("Loc", "Loc"),
    "OrgBased_In": ("Org", "Loc"),
    "Work_For": ("Peop", "Org"),
}
CONSTRAINTS = tuple(Arguments(name=r, relation=r, head=(h,), tail=(t,)) for r, (h, t) in LICENCES.items())


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def seconds(act: Callable[[], Any], repeats: int = 1) -> float:
    """CPU seconds of the fastest repeat."""
    best = np.inf
    for _ in range(repeats):
        start = cpu()
        act()
        best = min(best, cpu() - start)
    return max(float(best), 1e-9)


def log_probabilities(rng: np.random.Generator, rows: int, columns: int, none: float) -> np.ndarray:
    scores = 3.0 * rng.normal(size=(rows, columns))
    scores[:, 0] += none
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def corpus(kind: str, n_sentences: int, n: int) -> tuple[TypedPairs, np.ndarray, np.ndarray]:
    """Sentences of n nodes under the constraints, and the scores of their types and labels."""
    rng = np.random.default_rng(0)
    nodes, pairs = n_sentences * n, n_sentences * n * (n - 1)
    if kind == "gaussian":
        types, labels = rng.normal(size=(nodes, 4)), rng.normal(size=(pairs, 6))
    else:
        types, labels = log_probabilities(rng, nodes, 4, 0.0), log_probabilities(rng, pairs, 6, 5.0)
    return TypedPairs.of(np.full(n_sentences, n), tables(CONSTRAINTS, SPACE)), types, labels


def built(n: int) -> SentenceProgram:
    return sentence_program(CONSTRAINTS, SPACE, n, Sameness.unknown())


def rungs(kind: str, n_sentences: int) -> None:
    n = 6
    many, types, labels = corpus(kind, n_sentences * 50, n)
    decoded = many.decode(types, labels)
    exact = seconds(lambda: many.decode(types, labels), 3) / len(many)
    program, pairs = built(n), n * (n - 1)
    scores = [
        program.scores(types[s * n : (s + 1) * n], labels[s * pairs : (s + 1) * pairs], 0.0) for s in range(n_sentences)
    ]
    program.program.relax(scores[0])
    relaxed = seconds(lambda: [program.program.relax(s) for s in scores]) / n_sentences
    ladder = seconds(lambda: [program.program.solve(s) for s in scores]) / n_sentences
    solutions = [program.program.solve(s) for s in scores]
    fresh = seconds(lambda: [built(n).program.solve(s) for s in scores[:20]]) / min(20, n_sentences)
    checked: list[Any] = []
    cbc = seconds(lambda: checked.extend(program.program.cross_check(s) for s in scores[:20])) / min(20, n_sentences)
    for k, one in enumerate(checked):
        assert abs(one.objective - decoded.objective[k]) < 1e-6
    integral = sum(s.integral for s in solutions)
    print(f"\n6 entities x 30 pairs, {kind} scores: {integral} of {n_sentences} LPs integral")
    print(f"{'':34}{'sentences/s':>12}{'x PuLP with CBC':>18}")
    for name, time in (
        ("PuLP with CBC", cbc),
        ("HiGHS, model built each time", fresh),
        ("LP then MILP, one HiGHS model", ladder),
        ("LP, one HiGHS model", relaxed),
        ("exact search", exact),
    ):
        print(f"{name:34}{1 / time:12,.0f}{cbc / time:18,.1f}")


def sizes(share: float) -> None:
    print("\nexact search by number of entities (sentences/s, gaussian | log probabilities)")
    for n, count in ((3, 3000), (6, 1000), (10, 200), (15, 60), (20, 20)):
        speeds = []
        count = max(1, int(share * count))
        for kind in ("gaussian", "peaky"):
            many, types, labels = corpus(kind, count, n)
            speeds.append(count / seconds(partial(many.decode, types, labels), 2))
        print(f"{n:5} {speeds[0]:12,.0f} | {speeds[1]:12,.0f}")


def switches(quick: bool) -> None:
    root, ending = (SAMPLES / "joint", "jsonl") if quick else (DATA / "conll04", "jsonl.gz")
    if not root.is_dir():
        print("\nno CoNLL04 here: the corpus lines are left out")
        return
    from engine.corpora import read
    from engine.settings import with_values
    from engine.tasks.base import Resources
    from engine.tasks.joint.task import Joint

    task = Joint()
    train, dev = read(root / f"train.{ending}"), read(root / f"dev.{ending}")
    rounds: list[Any] = []
    settings = with_values(task.learner("lp").settings, {"classifier": "winnow", "folds": "2"} if quick else {})
    training = seconds(lambda: rounds.extend(task.rounds(train, [], "lp", settings, Resources())))
    model = rounds[-1].model
    made: list[JointScored] = []
    scoring = seconds(lambda: made.append(task.score(dev, model)))
    scored = made[0]
    space, own = scored.space, scored.constraints
    decoder = Decoder.of(scored)
    decoder.decode(scored)
    off = Decoder(space, with_switch(own, own[0].name, on=False))
    toggle = seconds(lambda: off.decode(scored), 5)
    wide: list[Constraint] = [Count(name=f"one {name}", relation=name, at_most=1) for name in space.relations]
    wide.append(Exclusive(name="one kind", relations=space.relations, scope="sentence", weight=0.5))
    sentence_wide = Decoder(space, (*own, *wide))
    rungs_used = Counter(sentence_wide.decode(scored).rungs)
    widely = seconds(lambda: sentence_wide.decode(scored), 3)
    path = seconds(lambda: decoder.paths(scored), 2)
    print(f"\n{root.name}: training lp on {len(train)} sentences {training:.1f} s; dev is {len(dev)} sentences")
    print(f"features and scores of dev          {1000 * scoring:8.1f} ms")
    print(f"a switched constraint, all decided  {1000 * toggle:8.1f} ms")
    print(f"six sentence-wide constraints more  {1000 * widely:8.1f} ms  ({dict(rungs_used)})")
    print(f"exact path of the bias, all         {1000 * path:8.1f} ms")


if __name__ == "__main__":
    options = parser(__doc__)
    options.add_argument("--sentences", type=int, default=100)
    wanted = options.parse_args()
    n = 5 if wanted.quick else wanted.sentences
    rungs("gaussian", n)
    rungs("peaky", n)
    sizes(0.05 if wanted.quick else 1.0)
    switches(wanted.quick)
