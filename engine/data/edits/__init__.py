"""Annotation as a log of edits: what an editor may do to a layer, and the layer that results.

In the log every mention and relation has a lasting id ("g3" is the fourth of the layer it started from; added ones
bring their own), so edits by different people can be distinguished and undone in any order. Folding the edits over the
starting layer gives the state at any moment; nothing is ever changed in place.
"""

from engine.data.edits.applying import apply, replay, touches
from engine.data.edits.kinds import (
    AddMention,
    AddRelation,
    Comment,
    Credit,
    DefineLabels,
    DoubtGold,
    Edit,
    EditRefused,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    Resolve,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    Settle,
    SetType,
    Together,
    label_target,
    parts,
    place_target,
)
from engine.data.edits.records import from_json, to_json
from engine.data.edits.state import Arc, Remark, State, with_comments

__all__ = [
    "AddMention",
    "AddRelation",
    "Arc",
    "Comment",
    "Credit",
    "DefineLabels",
    "DoubtGold",
    "Edit",
    "EditRefused",
    "MarkDone",
    "Reject",
    "Remark",
    "RemoveMention",
    "RemoveRelation",
    "Resolve",
    "SetCluster",
    "SetEntity",
    "SetLabel",
    "SetRelationType",
    "SetSpan",
    "SetType",
    "Settle",
    "State",
    "Together",
    "apply",
    "from_json",
    "label_target",
    "parts",
    "place_target",
    "replay",
    "to_json",
    "touches",
    "with_comments",
]
