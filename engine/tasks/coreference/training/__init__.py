"""How coreference is trained: passes over the documents, and the choice of feature templates by many trainings."""

from engine.tasks.coreference.training.rounds import CoreferenceRound, has_singletons, rounds

__all__ = ["CoreferenceRound", "has_singletons", "rounds"]
