"""The roles of table columns, and the usual names of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

ROLES: Final[Mapping[str, str]] = {
    "text": "the text",
    "id": "which document the row belongs to",
    "mention": "the words of a mention, as they stand in the text",
    "start": "where the mention begins: characters before it",
    "end": "where the mention ends: the first character after it",
    "entity": "what the mention is linked to; NIL where it is in no knowledge base",
    "type": "the type of the mention",
    "chain": "which mentions of a document stand for the same thing: a number or name that they share",
    "head": "the first argument of a relation, as it stands in the text",
    "head type": "the type of the first argument",
    "relation": "the relation from head to tail; empty or none where there is none",
    "tail": "the second argument of a relation, as it stands in the text",
    "tail type": "the type of the second argument",
}
"""Role -> the meaning of a cell in such a column."""

_OTHERS: Final[Mapping[str, str]] = {
    "text": "tweet sentence content body message post comment paragraph utterance abstract passage document_text"
    " full_text status sent txt texte satz",
    "id": "doc doc_id docid document document_id tweet_id tweetid text_id sentence_id sent_id sid guid uid key row_id"
    " number no nr index",
    "mention": "surface span name mention_text span_text entity_text anchor word phrase string ne",
    "start": "begin offset start_char start_offset begin_offset char_start start_pos begins from",
    "end": "stop end_char end_offset char_end end_pos ends to",
    "entity": "link links_to linked_entity wiki wikipedia wikidata qid uri iri kb_id kb concept entity_id title"
    " page wiki_title gold_entity",
    "type": "ner ner_type entity_type mention_type class category tag ne_type",
    "chain": "cluster coref coreference cluster_id chain_id coref_id entity_cluster",
    "head": "e1 subject subj entity1 entity_1 arg1 head_text head_entity source subject_text first",
    "head type": "e1_type subject_type subj_type entity1_type arg1_type type1 type_1",
    "relation": "rel predicate label labels relation_type property relations pred",
    "tail": "e2 object obj entity2 entity_2 arg2 tail_text tail_entity target object_text second",
    "tail type": "e2_type object_type obj_type entity2_type arg2_type type2 type_2",
}

_ROLE_OF: Final = {name: role for role, others in _OTHERS.items() for name in (role.replace(" ", "_"), *others.split())}


def role_of(name: str) -> str | None:
    """The role that a column of this name usually has; a name of several words has one where all of them say the
    same, as "wikipedia page" does."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    words = re.sub(r"[\W_]+", "_", plain.lower()).strip("_")
    if words in _ROLE_OF:
        return _ROLE_OF[words]
    said = {_ROLE_OF.get(word) for word in words.split("_")}
    return said.pop() if len(said) == 1 else None
