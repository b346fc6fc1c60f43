"""Training of linking: counts names in the training texts, then runs a learner whose every round can be kept.

Each training text is treated as if it had never been annotated: it is left out of the counts from which its own
features are computed (engine/features/linking/memory.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.linking.candidates import collect
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import clusters, remember
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.readings import Reader
from engine.features.linking.text.tokens import read_tokens
from engine.learners.base import Saved
from engine.learners.training import prefixed, under
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.surfaces import normalise
from engine.metrics.linking import linked
from engine.structures.base import Mask
from engine.tasks.base import Model, TrainingRound
from engine.tasks.linking.curve import curve
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.scoring import (
    LinkingRows,
    basic_rows,
    candidate_rows,
    scored_rows,
    scores_of,
    second_rows,
    with_pairs,
)
from engine.tasks.linking.settings import LinkingSettings
from engine.tasks.linking.state import FirstStage, LinkingKnowledge, LinkingState
from engine.tasks.linking.training.lockstep import Lockstep, Settled, TrainingSet, lockstep, settle, unseen_scores
from engine.tasks.training.checkpoint import from_json_part, json_part
from engine.tasks.training.reusing import prepared
from engine.workers.crews import ALONE, Crew

# How often dev is scored during training; doing so every round would take longer than training itself.
_GLANCES: Final = 6


@dataclass(frozen=True)
class Plan:
    """Which model is being trained, and a callback that receives the dev corpus as scored in the last round."""

    task: str
    learner: str
    settings: LinkingSettings
    keep: Callable[[Model[LinkingSettings, LinkingState], LinkingScored], None]
    crew: Crew = ALONE
    """Who works on blocks of the training texts."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage learns from, and what it builds on."""

    knowledge: LinkingKnowledge
    data: TrainingSet
    first: FirstStage | None = None

    def settled(self, step: Lockstep) -> Settled:
        return settle(step.scorer, unseen_scores(step, self.data), self.data)

    def next(self, step: Lockstep) -> Stage:
        """The next stage, which sees what this one, with the scorer of this step, chooses in texts it has not seen."""
        kept = self.settled(step)
        chosen = self.data.rows.parts.lattice.argmax(kept.unseen - kept.bias)
        rows = with_pairs(self.data.rows, self.knowledge.inventory, chosen)
        data = dataclasses.replace(self.data, rows=rows)
        return Stage(self.knowledge, data, FirstStage(kept.scorer, kept.bias))


def rounds(
    plan: Plan,
    train: Sequence[Document],
    dev: Sequence[Document],
    lexicon: Lexicon,
    *,
    resume: Saved | None = None,
) -> Iterator[TrainingRound[LinkingSettings, LinkingState]]:
    """The rounds of all stages, one stage after the other."""
    settings = plan.settings
    made_of = (lexicon.digest(), settings.own_tags, settings.blocks, settings.entities, settings.folds, settings.seed)
    stage = prepared(train, ("linking", made_of), lambda: first_stage(train, lexicon, settings))
    watched = basic_rows(dev, stage.knowledge) if dev else None
    total = settings.n_rounds
    at = 0 if resume is None else int(resume["stage"])
    ended: Saved = {}
    for number in range(settings.stages):
        if stage.first is not None and watched is not None:
            watched = second_rows(watched, stage.knowledge.inventory, stage.first)
        if resume is not None and number < at:
            ended = {**ended, **{name: part for name, part in resume.items() if name.startswith(f"stage{number}_")}}
            stage = stage.next(Lockstep.with_scorers(under(f"stage{number}_", resume)))
            continue
        learnt = under("learners_", resume) if resume is not None and number == at else {}
        watch = _Watch(watched, {} if resume is None else from_json_part(resume["watched"]))
        parts = stage.data.rows.parts
        details = {"reachable": parts.reachable, "rows": parts.n_parts, "stage": number + 1}
        for step in lockstep(settings, stage.data, learnt or None, plan.crew):
            scores = watch.look(step, total)
            if step.is_last and number + 1 < settings.stages:
                ended = {**ended, **prefixed(f"stage{number}_", step.scorers_to_parts())}
                state = partial(_saved, ended, number + 1, scores, None)
            else:
                state = partial(_saved, ended, number, scores, step)
            yield TrainingRound(
                index=number * total + step.index + 1,
                total=settings.stages * total,
                objective=step.objective,
                scores=scores,
                build=partial(_model, plan, stage, step, watched),
                details=details,
                to_parts=state,
                notes=(step.unsolved,) if step.unsolved else (),
            )
            if step.is_last and number + 1 < settings.stages:
                stage = stage.next(step)


def _saved(ended: Saved, stage: int, scores: dict[str, float], step: Lockstep | None) -> Saved:
    """The state to save: scorers of the finished stages, and the state of the learners in the current one."""
    learners = {} if step is None else prefixed("learners_", step.to_parts())
    return {**ended, **learners, "stage": np.array(stage), "watched": json_part(scores)}


def _model(plan: Plan, stage: Stage, step: Lockstep, dev: LinkingRows | None) -> Model[LinkingSettings, LinkingState]:
    kept = stage.settled(step)
    model = Model(
        task=plan.task,
        learner=plan.learner,
        settings=plan.settings,
        state=LinkingState(stage.knowledge, kept.scorer, stage.first),
        bias=kept.bias,
    )
    if dev is not None and step.is_last:
        # After a complete training, the caller evaluates the model on dev next; keep its scores, as features are slow.
        plan.keep(model, scored_rows(dev, model))
    return model


class _Watch:
    """Dev scores during training, updated now and then."""

    def __init__(self, dev: LinkingRows | None, latest: dict[str, float]) -> None:
        self._dev = dev
        self._latest = latest

    def look(self, step: Lockstep, total: int) -> dict[str, float]:
        if self._dev is not None and (step.is_last or step.index % max(1, total // _GLANCES) == 0):
            found = curve(self._dev.parts.rescored(scores_of(self._dev, step.scorer)))
            self._latest = {"f1": found.at(0.0).f1, "best_f1": found.point(found.best_index()).f1}
        return dict(self._latest)


def first_stage(documents: Sequence[Document], lexicon: Lexicon, settings: LinkingSettings) -> Stage:
    """The training texts, ready for the first learner."""
    knowledge, rows, groups = learn(documents, lexicon, settings)
    if not rows.parts.right.any():
        raise InputError("no gold link of the training documents is among the candidates: does the lexicon fit?")
    n_folds = min(settings.folds, len(set(groups)))
    if settings.stages > 1 and n_folds < 2:
        raise InputError("two stages need at least 2 folds: the second learns from the first on unseen texts")
    folds = fold_of(groups, n_folds, settings.seed) if n_folds > 1 else None
    return Stage(knowledge, TrainingSet(rows, targets(rows.parts), folds))


def learn(
    documents: Sequence[Document], lexicon: Lexicon, settings: LinkingSettings
) -> tuple[LinkingKnowledge, LinkingRows, list[int]]:
    """What the training texts teach about names; these texts as rows, each left out of its own counts; and their
    clusters."""
    pairs: dict[tuple[str, str], int] = {}
    for document in documents:
        for mention in document.gold.mentions:
            if mention.is_linked:
                pair = normalise(document.surface(mention)), str(mention.entity)
                pairs[pair] = pairs.get(pair, 0) + 1
    inventory = Inventory(lexicon, settings.own_tags, pairs)
    names = frozenset(key for key, _ in pairs)
    tokens = [read_tokens(document) for document in documents]
    proposer = Proposer(inventory, names)
    spans = proposer.all_spans(tokens)
    groups = clusters(documents)
    # Leaving out each text alone would leak its label: among texts with the same name, linked ones would see one link
    # fewer than the others. Texts that are left out together see the same counts.
    blocks = fold_of(groups, settings.blocks, settings.seed).tolist() if settings.blocks else groups
    memory = remember(documents, tokens, [[span.key for span in proposed] for proposed in spans], blocks)
    readers = {block: Reader(inventory, memory.view(block)) for block in set(blocks)}
    candidates = collect(tokens, spans, [readers[block] for block in blocks], inventory, most=settings.entities)
    path = str(lexicon.path) if lexicon.path else None
    knowledge = LinkingKnowledge(inventory, memory, names, settings.entities, path)
    return knowledge, candidate_rows(documents, candidates, knowledge), groups


def fold_of(groups: Sequence[int], folds: int, seed: int) -> Ints:
    """The fold of every text; texts of one cluster share a fold."""
    order = np.random.default_rng(seed).permutation(np.unique(groups))
    place = {group: i % folds for i, group in enumerate(order)}
    return np.array([place[group] for group in groups], dtype=np.int64)


def targets(parts: LinkingScored) -> Mask:
    """The parts to learn: among those that find a gold link, the ones whose span fits it best."""
    target = np.zeros(parts.n_parts, dtype=np.bool_)
    mentions = [mention for document in parts.documents for mention in linked(document.gold)]
    for link, finders in parts.finders.items():
        found = np.array(finders)
        mention = mentions[link]
        start, end = parts.start[found], parts.end[found]
        common = np.minimum(end, mention.end) - np.maximum(start, mention.start)
        fit = common / (np.maximum(end, mention.end) - np.minimum(start, mention.start))
        target[found[fit == fit.max()]] = True
    return target
