"""Coreference: latent antecedent trees, local and non-local features (Björkelund and Kuhn 2014)."""

from engine.tasks.coreference.task import Coreference

__all__ = ["Coreference"]
