"""Training of linking: rounds of a learner, each with a Nil bias that is chosen on texts it has not seen."""

from engine.tasks.linking.training.rounds import Plan, Stage, first_stage, fold_of, learn, rounds, targets

__all__ = ["Plan", "Stage", "first_stage", "fold_of", "learn", "rounds", "targets"]
