"""Label sets: which types, relations and document labels a corpus is annotated with.

A label keeps its first key and colour, whatever is added later. A locked set accepts no more labels, and refuses edits
with labels that it does not know or license.
"""

from engine.data.labels.checking import check
from engine.data.labels.kinds import DocumentLabel, EntityType, LabelSet, RelationType
from engine.data.labels.making import COLOURS, from_documents, keys, with_labels
from engine.data.labels.records import from_json, to_json

__all__ = [
    "COLOURS",
    "DocumentLabel",
    "EntityType",
    "LabelSet",
    "RelationType",
    "check",
    "from_documents",
    "from_json",
    "keys",
    "to_json",
    "with_labels",
]
