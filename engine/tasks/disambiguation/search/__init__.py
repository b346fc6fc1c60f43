"""The beam search over a scored corpus: its input and a record of what it did. Nothing here uses a model."""
