"""Arabic: free pronouns and the labels of its treebank. Heads stand first; clitic pronouns are tokens of their own."""

from __future__ import annotations

from typing import Final

from engine.features.coreference.languages import Language, Pronoun

PACK: Final = Language(
    name="arabic",
    pronouns={
        "أنا": Pronoun("i", "1", "singular", "", "animate"),
        "نحن": Pronoun("we", "1", "plural", "", "animate"),
        "أنت": Pronoun("you", "2", "singular", "", "animate"),
        "أنتم": Pronoun("you", "2", "plural", "", "animate"),
        "هو": Pronoun("he", "3", "singular", "male"),
        "هي": Pronoun("she", "3", "singular", "female"),
        "هما": Pronoun("they", "3", "plural"),
        "هم": Pronoun("they", "3", "plural", "male", "animate"),
        "هن": Pronoun("they", "3", "plural", "female", "animate"),
        "هذا": Pronoun("this", "3", "singular", "male"),
        "هذه": Pronoun("this", "3", "singular", "female"),
        "ذلك": Pronoun("that", "3", "singular", "male"),
        "تلك": Pronoun("that", "3", "singular", "female"),
        "ه": Pronoun("he", "3", "singular", "male"),
        "ها": Pronoun("she", "3", "singular", "female"),
        "ي": Pronoun("i", "1", "singular", "", "animate"),
        "نا": Pronoun("we", "1", "plural", "", "animate"),
        "ك": Pronoun("you", "2", "singular", "", "animate"),
    },
    demonstrative=frozenset({"هذا", "هذه", "ذلك", "تلك", "هؤلاء"}),
    prepositions=frozenset({"من", "في", "على", "إلى", "عن", "مع", "التي", "الذي", "،"}),
    stopwords=frozenset({"من", "في", "على", "إلى", "عن", "مع", "و", "،", "."}),
    gender={"السيد": "male", "الملك": "male", "السيدة": "female", "الملكة": "female"},
    speech_verbs=frozenset({"قال", "قالت", "أضاف", "أعلن", "أكد"}),
    name_tags=frozenset({"NOUN_PROP", "DET+NOUN_PROP", "NNP"}),
    pronoun_tags=frozenset({"PRON", "PRP", "PRP$", "POSS_PRON", "DEM_PRON"}),
    noun_tags=frozenset({"NOUN", "NN", "NNS", "NNP", "NOUN_PROP", "DET+NN", "DET+NNS"}),
    plural_tags=frozenset({"NNS", "DET+NNS"}),
    head_first=True,
)
