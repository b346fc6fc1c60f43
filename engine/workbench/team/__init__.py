"""Annotation by several people: the progress of a project, and its members' comments."""
