"""Training of distant relations, and a view of the F loss on the training bags."""

from engine.tasks.distant.training.loss import LossTrace, loss_trace
from engine.tasks.distant.training.rounds import Plan, retrain, rounds, training_bags

__all__ = ["LossTrace", "Plan", "loss_trace", "retrain", "rounds", "training_bags"]
