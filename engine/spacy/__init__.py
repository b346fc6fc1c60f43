"""Trained models as components of spaCy pipelines, and spaCy's documents as ours and back."""
