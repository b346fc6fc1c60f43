"""Coreference: latent antecedent trees, local and non-local features (Björkelund and Kuhn 2014)."""
