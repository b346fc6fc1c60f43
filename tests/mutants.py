"""Tests the tests: plants one known bug at a time in a copy of the code and shows that the suite catches it.

    python tests/mutants.py [NAME...]

Each mutant names the text it replaces, so a mutant that no longer fits the code is reported, not skipped.
Exit code 0 means every bug was caught.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("engine", "ui", "tests", "benchmarks", "sample_data", "pages", "app.py", "pyproject.toml")


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    before: str
    after: str
    tests: str


MUTANTS = (
    Mutant(
        "undo keeps the edit alive",
        "engine/store/annotations.py",
        "if row.undoes is not None and row.number not in dead:",
        "if row.undoes is not None and row.number in dead:",
        "tests/store/test_annotations.py",
    ),
    Mutant(
        "conflicts are not seen",
        "engine/store/annotations.py",
        "if theirs:",
        "if False:",
        "tests/store/test_annotations.py",
    ),
    Mutant(
        "a bulk action is undone piece by piece",
        "engine/store/annotations.py",
        "key=lambda row: row.batch or row.number",
        "key=lambda row: row.number",
        "tests/store/test_annotations.py",
    ),
    Mutant(
        "a rule marks what was refused",
        "engine/workbench/marking/planning.py",
        "return not any(",
        "return True or not any(",
        "tests/workbench/test_marking.py",
    ),
    Mutant(
        "of two names at one place the shorter is meant",
        "engine/workbench/marking/rules.py",
        "range(most, 0, -1)",
        "range(1, most + 1)",
        "tests/workbench/test_marking.py",
    ),
    Mutant(
        "a blind annotator is offered entities of gold",
        "ui/views/annotate/widgets.py",
        "    if seat.blind:\n        originals",
        "    if False:\n        originals",
        "tests/ui/test_blind.py",
    ),
    Mutant(
        "another tab of the same person overwrites",
        "engine/store/annotations.py",
        "r.writer != here",
        "r.user != user",
        "tests/store/test_annotations.py",
    ),
    Mutant(
        "writes are not transactions",
        "engine/store/database.py",
        'connection.exec_driver_sql("BEGIN IMMEDIATE")',
        "pass",
        "tests/store/test_workspace.py",
    ),
    Mutant(
        "curve steps one point late",
        "engine/tuning/curve.py",
        'np.searchsorted(self.bias, bias, side="right")) - 1',
        'np.searchsorted(self.bias, bias, side="left")) - 1',
        "tests/tuning/test_curve.py",
    ),
    Mutant(
        "curve adds totals instead of changes",
        "engine/tuning/curve.py",
        "change[same] = counts[same] - counts[same - 1]",
        "change[same] = counts[same]",
        "tests/tuning/test_curve.py",
    ),
    Mutant(
        "alpha forgets that a value is not paired with itself",
        "engine/metrics/agreement.py",
        "expected = _spread(totals, distance) / (n - 1)",
        "expected = _spread(totals, distance) / n",
        "tests/metrics/test_agreement.py",
    ),
    Mutant(
        "Shapley weights of the wrong size",
        "engine/learners/trees/shapley.py",
        "weight *= (k + 1) / (d - k - 1)",
        "weight *= (k + 1) / (d - k)",
        "tests/learners/test_shapley.py",
    ),
    Mutant(
        "token ranges lose their last token",
        "engine/data/document.py",
        "return first, max(first, bisect_left(self._token_starts, end))",
        "return first, max(first, bisect_left(self._token_starts, end) - 1)",
        "tests/data/test_document.py",
    ),
    Mutant(
        "backward sums start one position early",
        "engine/structures/nonoverlap_kernels.py",
        "total += np.exp(weight[span] + backward[span_end[span]] - top)",
        "total += np.exp(weight[span] + backward[span_end[span] - 1] - top)",
        "tests/structures/test_nonoverlap.py",
    ),
    Mutant(
        "leaves one row too small",
        "engine/learners/trees/histograms.py",
        "if n_right < min_leaf:",
        "if n_right < min_leaf - 1:",
        "tests/learners/test_trees.py",
    ),
    Mutant(
        "multipliers move the wrong way",
        "engine/structures/agreement.py",
        "lam -= 1.0",
        "lam += 1.0",
        "tests/structures/test_agreement.py",
    ),
    Mutant(
        "F counts false negatives twice",
        "engine/learners/fbeta.py",
        "f = correct / (positives + beta * (fp - fn)) if correct > 0 else 0.0",
        "f = correct / (positives + beta * (fp - 2 * fn)) if correct > 0 else 0.0",
        "tests/learners/test_fbeta.py",
    ),
    Mutant(
        "equal antecedents: the farthest wins",
        "engine/structures/tree.py",
        "elif scores[at] >= other:",
        "elif scores[at] > other:",
        "tests/structures/test_tree.py",
    ),
    Mutant(
        "a path keeps steps that hold nowhere",
        "engine/tuning/envelope.py",
        "if bias <= steps[-1][0] + CLOSE * (1.0 + abs(bias)):",
        "if bias <= steps[-1][0] - CLOSE * (1.0 + abs(bias)):",
        "tests/tuning/test_envelope.py",
    ),
    Mutant(
        "comparisons are looked up by mention instead of by candidate",
        "engine/features/coreference/pairs.py",
        "compared[max(row - first - 1, 0)]",
        "compared[max(heads[row] - 1, 0)]",
        "tests/features/test_coreference_pairs.py",
    ),
    Mutant(
        "long documents stay on one core",
        "engine/features/coreference/pairs.py",
        "min(cores(), len(heads) // ARCS_PER_THREAD + 1)",
        "1",
        "tests/features/test_coreference_pairs.py",
    ),
    Mutant(
        "the best tree is taken even if it breaks the pins",
        "engine/tasks/coreference/deciding.py",
        "if fixed is None or fixed.hold_for(labels_of(exact.heads)):",
        "if fixed is None or exact.heads is not None:",
        "tests/tasks/test_coreference_scored.py",
    ),
    Mutant(
        "a rival in the same cluster counts",
        "engine/learners/laso/clusters.py",
        "and not (head and other and label[other] == label[head])",
        "",
        "tests/tasks/test_coreference.py",
    ),
    Mutant(
        "a search finds documents that have any of its words",
        "engine/store/large/search.py",
        '(" ".join(terms),)',
        '(" OR ".join(terms),)',
        "tests/store/test_large.py",
    ),
    Mutant(
        "pieces of a curve forget where their documents stand",
        "engine/tuning/curve.py",
        "one.document + first for one",
        "one.document for one",
        "tests/workbench/test_large.py",
    ),
    Mutant(
        "pages wait for every curve that is not there",
        "ui/background/beside.py",
        "max(0.0, self.asked + PATIENCE - time.monotonic())",
        "PATIENCE",
        "tests/ui/test_data.py",
    ),
    Mutant(
        "type sets that overlap are bounded one by one",
        "engine/tasks/joint/inference/program.py",
        "if not any(one.types & other.types for other in sets if other is not one)",
        "if one.types",
        "tests/tasks/test_joint_program.py",
    ),
    Mutant(
        "programs are never solved",
        "engine/tasks/joint/inference/decoder.py",
        'if self.inference == "exact" else self._programmed(sentences, biases)',
        "",
        "tests/tasks/test_joint_inference.py",
    ),
    Mutant(
        "pages outside the lexicon link to nothing",
        "engine/lexicon/build.py",
        '[number(page) for page in row["links"]]',
        '[number(page) for page in row["links"] if page in titles]',
        "tests/features/linking/test_entity_pairs.py",
    ),
    Mutant(
        "no two entities have links in common",
        "engine/features/linking/entity_pairs.py",
        "len(mine & others) / union if union else 0.0",
        "0.0",
        "tests/features/linking/test_entity_pairs.py",
    ),
    Mutant(
        "an entity keeps itself company",
        "engine/features/linking/entity_pairs.py",
        "for e in entities if e != own",
        "for e in entities",
        "tests/features/linking/test_entity_pairs.py",
    ),
    Mutant(
        "whatever is said of a query is right",
        "engine/metrics/linking.py",
        "predicted=len(said), found=found",
        "predicted=len(said & named), found=found",
        "tests/metrics/test_linking.py",
    ),
    Mutant(
        "texts without offsets are compared by what they cannot tell",
        "engine/workbench/comparison.py",
        "compare_counts(task.judged(gold), counted,",
        "compare_counts(task.statistics(), counted,",
        "tests/workbench/test_comparison.py",
    ),
    Mutant(
        "the grid scores every label alone",
        "engine/tasks/distant/grid.py",
        "return scores.total(labels, on) + p * fp + q * fn, p, q",
        "return scores.total(labels, on), p, q",
        "tests/tasks/test_distant_grid.py",
    ),
    Mutant(
        "the bias is blamed for what Nil wins without it",
        "engine/tasks/linking/errors.py",
        "self.scored.score[part] > 0 >= self.biased[part]",
        "0 >= self.biased[part]",
        "tests/tasks/test_blame.py",
    ),
    Mutant(
        "looser forms of a name crowd out the name itself",
        "engine/features/linking/candidates.py",
        "(not row[4] & AS_WRITTEN, -prior(row[0], row[1], row[2], row[3], row[5]))",
        "-prior(row[0], row[1], row[2], row[3], row[5])",
        "tests/features/linking/test_candidates.py",
    ),
    Mutant(
        "n-grams with marks in them are looked up as if they had none",
        "engine/features/linking/proposing/proposer.py",
        "tokens.ends[last - 1] <= plain",
        "tokens.ends[last - 1] <= len(written.lower)",
        "tests/features/linking/test_proposer.py",
    ),
    Mutant(
        "the word before a hashtag is its sign",
        "engine/features/linking/token_columns.py",
        "np.where(self.signs != 0, 2, 1)",
        "np.where(self.signs != 0, 1, 1)",
        "tests/features/linking/test_proposer.py",
    ),
    Mutant(
        "all readings of a name are candidates",
        "engine/features/disambiguation/candidates.py",
        "document.id if own else None)[:most]",
        "document.id if own else None)",
        "tests/features/test_disambiguation_candidates.py",
    ),
    Mutant(
        "a name takes the candidates of the shortest person around it",
        "engine/features/disambiguation/candidates.py",
        "key=lambda surface: (-len(WORD.findall(surface)), surface)",
        "key=lambda surface: (len(WORD.findall(surface)), surface)",
        "tests/features/test_disambiguation_candidates.py",
    ),
    Mutant(
        "the lexicon's prior is ignored",
        "engine/features/disambiguation/priors.py",
        "average([self.lexicon_prior(surface), self.links.prior(surface, without)])",
        "average([self.links.prior(surface, without)])",
        "tests/features/test_disambiguation_candidates.py",
    ),
    Mutant(
        "training links stay in the lexicon's counts",
        "engine/features/disambiguation/priors.py",
        "self.links.total(surface, title) if own.intersection(posting.tags) else 0",
        "0",
        "tests/features/test_disambiguation_candidates.py",
    ),
    Mutant(
        "any token opens the service",
        "engine/service/requests/access.py",
        'if not hmac.compare_digest(given, self.token.encode("utf-8")):',
        "if not given:",
        "tests/service/test_rest.py",
    ),
    Mutant(
        "a page of another site is answered",
        "engine/service/requests/access.py",
        "raise Refused(FORBIDDEN,",
        "Refused(FORBIDDEN,",
        "tests/service/test_rest.py",
    ),
    Mutant(
        "the operating point of a run is forgotten",
        "engine/service/models/shelf.py",
        "ModelFile(run.task, path, stamp_of(path), run.bias)",
        "ModelFile(run.task, path, stamp_of(path))",
        "tests/service/test_rest.py",
    ),
    Mutant(
        "a new operating point of a file goes unnoticed",
        "engine/service/models/loading.py",
        "return about.st_mtime_ns, about.st_size, about.st_ino, about.st_ctime_ns",
        "return (about.st_mtime_ns,)",
        "tests/service/test_rest.py",
    ),
    Mutant(
        "GERBIL gets confidences to tune by",
        "engine/service/nif.py",
        'told = ask.query.get("confidence", "").lower() in YES',
        "told = True",
        "tests/service/test_nif.py",
    ),
    Mutant(
        "a pull forgets our layers",
        "engine/service/remote/merging.py",
        "if n not in document.layers}",
        "if n in document.layers}",
        "tests/service/test_remote.py",
    ),
    Mutant(
        "the per-label bound counts labels that no output can have",
        "engine/learners/margin/augmented.py",
        "seed=how.seed, missing=corpus.unexplained",
        "seed=how.seed, missing=0",
        "tests/learners/test_cccp.py -k outnumber",
    ),
    Mutant(
        "Nil learns nothing",
        "engine/learners/trees/against_nil.py",
        "        residuals[:n_parts] = found.residuals",
        "        residuals[:] = 0.0\n        residuals[:n_parts] = found.residuals",
        "tests/learners/test_against_nil.py",
    ),
    Mutant(
        "weights of nil are free",
        "engine/learners/margin/nil_axes.py",
        "math.sqrt(self.n_labels + 1) - 1",
        "math.sqrt(self.n_labels + 2) - 1",
        "tests/learners/test_cccp.py::test_a_learnt_nil_is_a_label_with_weights_that_the_penalty_counts",
    ),
    Mutant(
        "the perceptron's nil does not move",
        "engine/learners/linear/hoffmann.py",
        "if label < 0 and not nil_learns:",
        "if label < 0:",
        "tests/learners/test_hoffmann.py",
    ),
    Mutant(
        "planes run out in silence",
        "engine/learners/margin/ssvm.py",
        "if self.finished and not solved:",
        "if False:",
        "tests/learners/test_ssvm.py::test_planes_that_run_out_are_told",
    ),
    Mutant(
        "a preparation is taken for that of other settings",
        "engine/tasks/training/reusing.py",
        "key = (tuple(map(id, documents)), settings)",
        "key = tuple(map(id, documents))",
        "tests/tasks/test_reusing.py",
    ),
    Mutant(
        "an experiment trains again what is done",
        "engine/cli/models/experiment.py",
        "if trial.key not in experiment.outcomes]",
        "]",
        "tests/cli/test_experiment.py",
    ),
    Mutant(
        "an experiment lets settings be chosen that were set by hand",
        "engine/workbench/experiments/choosing.py",
        "choose(task, train, learner, settings, resources, fixed=fixed)",
        "choose(task, train, learner, settings, resources, fixed=())",
        "tests/cli/test_experiment.py",
    ),
    Mutant(
        "a deviation is set against the paper instead of the default",
        "engine/workbench/experiments/deviating.py",
        'begins = groups.get((corpus, "default"))',
        "begins = groups[list(groups)[-1]]",
        "tests/cli/test_experiment.py",
    ),
    Mutant(
        "a setting that a learner refuses alone is tried alone",
        "engine/workbench/experiments/plan.py",
        "if _is_taken(info.settings, (*more, text)))",
        "if True)",
        "tests/cli/test_experiment.py",
    ),
    Mutant(
        "copies of a document are in other folds",
        "engine/workbench/experiments/plan.py",
        "texts.setdefault(document.text or document.id, len(texts))",
        "texts.setdefault(str(id(document)) + str(len(texts)), len(texts))",
        "tests/cli/test_experiment.py",
    ),
    Mutant(
        "the hinge loss has no margin",
        "engine/learners/trees/losses.py",
        "raised = scores + self._cost",
        "raised = scores",
        "tests/learners/test_papers_boosting.py",
    ),
    Mutant(
        "the hinge learner lowers the log loss",
        "engine/tasks/linking/settings.py",
        'SMart(loss="hinge")',
        "SMart()",
        "tests/learners/test_papers_boosting.py",
    ),
    Mutant(
        "MART learns on the whole lattice",
        "engine/tasks/linking/settings.py",
        'SMart(excludes="mention")',
        "SMart()",
        "tests/learners/test_papers_boosting.py",
    ),
    Mutant(
        "boosting never stops early",
        "engine/learners/sgtb/learner.py",
        "waited >= settings.patience * settings.check_every",
        "waited < 0",
        "tests/learners/test_sgtb_learner.py",
    ),
    Mutant(
        "backward looks ahead to nothing",
        "engine/learners/sgtb/mutual.py",
        "beam_search(reverse, Odds(nil, both.ahead.rows, both.ahead.nil), both.backward, both.back)",
        "beam_search(reverse, Odds(nil, both.none, both.no_nil), both.backward, both.back)",
        "tests/learners/test_sgtb.py",
    ),
    Mutant(
        "a second round counts what the first one met again",
        "engine/learners/sgtb/mutual.py",
        "if found.parents[t, other] == parent and found.rows[t, other] == row:",
        "if found.parents[t, other] == parent and found.rows[t, other] == row and t < 0:",
        "tests/learners/test_sgtb.py",
    ),
    Mutant(
        "the less likely direction answers",
        "engine/learners/sgtb/mutual.py",
        "log_share(both.backward, n) > log_share(both.forward, n)",
        "log_share(both.backward, n) < log_share(both.forward, n)",
        "tests/learners/test_sgtb.py",
    ),
    Mutant(
        "what the beam pruned counts for nothing",
        "engine/structures/beam.py",
        "values = beam.expansions[start : beam.offsets[t + 1]] + usual",
        "values = np.full(beam.offsets[t + 1] - start, -np.inf) + 0.0 * usual",
        "tests/tasks/test_disambiguation.py",
    ),
    Mutant(
        "only the best gold tree seeds the agenda",
        "engine/learners/laso/trees.py",
        "n_found, since = n_gold, np.int64(j)",
        "n_found, since = np.int64(1), np.int64(j)",
        "tests/learners/test_laso.py",
    ),
    Mutant(
        "LaSO remembers what old weights said of clusters",
        "engine/learners/laso/trees.py",
        "gold.memo.stamp[:] = 0",
        "pass",
        "tests/learners/test_laso.py",
    ),
    Mutant(
        "own history reads the clusters of gold",
        "engine/learners/laso/own.py",
        "attach(j, heads[free], states, np.int64(0))",
        "attach(j, heads[gold_rows[j]], states, np.int64(0))",
        "tests/learners/test_laso.py",
    ),
)


def main(wanted: list[str]) -> int:
    chosen = [mutant for mutant in MUTANTS if not wanted or mutant.name in wanted]
    survivors = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = copied(Path(scratch) / "copy")
        for mutant in chosen:
            verdict = plant(mutant, copy)
            print(f"{verdict:<10} {mutant.name}", flush=True)
            if verdict != "caught":
                survivors.append(mutant.name)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} planted bugs were caught")
    return 1 if survivors or not chosen else 0


def copied(copy: Path) -> Path:
    """The code in a place of its own. All mutants share it, so that kernels which no mutant touches compile once."""
    copy.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, copy / name)
    return copy


def plant(mutant: Mutant, copy: Path) -> str:
    """caught, SURVIVED, STALE where the code no longer has the text, or BROKEN where the tests could not be run."""
    target = copy / mutant.file
    text = target.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        return "STALE"
    target.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *mutant.tests.split()]
    command += ["-m", "not browser and not postgres"]
    try:
        outcome = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    finally:
        shutil.copy2(ROOT / mutant.file, target)
    # 1: a test failed, 0: all passed. Anything else (2 not collected, 5 nothing ran) says nothing about the bug.
    return {1: "caught", 0: "SURVIVED"}.get(outcome.returncode, "BROKEN")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
