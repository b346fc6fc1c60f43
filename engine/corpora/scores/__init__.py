"""Scores of other programs: what they weighed, with a number for each, in files beside or instead of answers.

`parts` says what can be scored and how it stands in a native record, `records` reads and writes files of such records,
`scales` makes numbers of different kinds additive over declining, and `importers` read what other programs write. The
meaning of the parts for a system is the system's own: engine/tasks/<system>/exchange/outside.py.
"""
