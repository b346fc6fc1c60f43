"""Annotation by several people: how a project stands, and what its members wrote to each other."""
