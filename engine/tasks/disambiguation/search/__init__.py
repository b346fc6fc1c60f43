"""The beam search over a scored corpus: what it takes, what it did. Nothing here sees a model."""
