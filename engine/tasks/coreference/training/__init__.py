"""Training of coreference: passes over the documents, and the selection of feature templates by many trainings."""

from engine.tasks.coreference.training.rounds import CoreferenceRound, has_singletons, rounds

__all__ = ["CoreferenceRound", "has_singletons", "rounds"]
