"""Annotation by several people: the project, their agreement, the adjudication of their work, their comments."""
